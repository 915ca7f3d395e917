"""The sources of frames that an app offers: the machine's cameras, the phone's own, the sample film."""
