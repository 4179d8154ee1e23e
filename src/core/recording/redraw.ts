// What precedes a picture of the screen within a recording, so that it replaces what is visible and keeps what was scrolled away.

/** Leaves the alternate screen, resets modes and colours, empties the visible part. */
export const REDRAW_FROM_HERE = '\u001b[?1049l\u001b[!p\u001b[0m\u001b[H\u001b[2J'
