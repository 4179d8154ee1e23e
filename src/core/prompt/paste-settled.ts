// When Enter may follow a paste. Terminal agents treat an Enter that comes too soon as part of the pasted text.

export interface PasteProgress {
  /** Length of the pasted text. */
  bytes: number
  sincePasteMs: number
  /** Since the last change of the screen after the paste; null while it has not changed. */
  sinceChangeMs: number | null
}

/** Real agents were observed to need a 0.3 s pause between the paste and the Enter. */
const QUIET_MS = 300
/** An application that echoes nothing shows no change to wait for. */
const NO_ECHO_MS = 1_000
/** A screen that never settles (a spinner) must not hold the message back. */
const RESTLESS_MS = 1_500
const RESTLESS_BYTES_PER_MS = 50

export function isPasteSettled(progress: PasteProgress): boolean {
  const { bytes, sincePasteMs, sinceChangeMs } = progress
  if (sinceChangeMs === null) return sincePasteMs >= NO_ECHO_MS
  if (sinceChangeMs >= QUIET_MS) return true
  return sincePasteMs >= RESTLESS_MS + bytes / RESTLESS_BYTES_PER_MS
}
