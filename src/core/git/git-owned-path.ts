// Which paths of a checkout belong to git itself. Pure.

/** Also as file systems of Windows and macOS read it: short names, dots, blanks or a stream at the end, characters that do not count. */
const GITS = /^(?:\.git|git~\d+)[. ]*(?::.*)?$/i
const UNSEEN = /[\u200c-\u200f\u202a-\u202e\u206a-\u206f\ufeff]/g

/** Hooks and settings of git start programs: writing there is more than an edit. */
export function isGitsOwn(path: string): boolean {
  return path.split(/[\\/]/).some((part) => GITS.test(part.replaceAll(UNSEEN, '')))
}
