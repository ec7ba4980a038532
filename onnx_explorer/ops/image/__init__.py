"""Images: sampling between pixels, regions of interest, decoding."""
