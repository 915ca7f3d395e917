"""Sources of frames that the app offers: the machine's cameras, the phone's own, the sample film."""
