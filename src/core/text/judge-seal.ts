// Whether a file still has what it had when it was last verified.

/** A file at one moment. `file` says which one it is: a file that was replaced by another, as ao writes, has another one. */
export interface Seal {
  file: string
  /** How much of it is sealed: everything, or its whole lines where it grows. */
  bytes: number
  sha256: string
}

/** `replaced`: written as a whole under another name and moved here. `grows`: only ever appended to. */
export type Nature = 'replaced' | 'grows'

/** `beginning`: the hash of as many bytes as were sealed; null: there are not as many. */
export function isChanged(nature: Nature, before: Seal | undefined, now: Seal, beginning: string | null): boolean {
  if (before === undefined || before.file !== now.file) return false
  return nature === 'grows' ? beginning !== before.sha256 : now.sha256 !== before.sha256
}
