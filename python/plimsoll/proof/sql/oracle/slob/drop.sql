drop user plimsoll_slob cascade
