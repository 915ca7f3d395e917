#!/bin/sh
# Installs what cv2, Kivy and the window tests need from Debian, or names it in one line.
# With --with-browser, also Chromium.
set -eu

# Chromium is only for the tests of the page that phones show. Where it is missing, they skip themselves.
browser=""
[ "${1:-}" != "--with-browser" ] || browser=" chromium chromium-driver"
packages="python3-venv libgl1 libglib2.0-0 libegl1 libgl1-mesa-dri libmtdev1 xvfb xauth fonts-dejavu-core fonts-droid-fallback$browser"

missing=""
for package in $packages; do
    case $(dpkg-query -W -f='${Status}' "$package" 2>/dev/null || true) in
        *"ok installed"*) ;;
        *) missing="$missing $package" ;;
    esac
done
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
    echo "This is not a Debian system; please install what corresponds to:$missing" >&2
    exit 0
fi
if [ "$(id -u)" = 0 ]; then
    run=""
elif sudo -n true 2>/dev/null; then
    run="sudo -n"
else
    echo "System libraries are missing and may not be installed from here: sudo apt-get install$missing" >&2
    exit 0
fi
echo "Installing system libraries:$missing" >&2
$run apt-get update -qq
DEBIAN_FRONTEND=noninteractive $run apt-get install -y -qq --no-install-recommends $missing >/dev/null
