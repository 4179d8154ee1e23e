// Text as searches compare it: without case and accents, each character in its place, so that an index in the one is an index in the
// other.

export function foldText(text: string): string {
  return text.replace(/[A-Z]|[^\0-\u007f]/g, foldCharacter)
}

function foldCharacter(character: string): string {
  const folded = (character.normalize('NFD')[0] ?? character).toLowerCase()
  return folded.length === character.length ? folded : character
}

/** What the tokenizer of the index takes as one word each: letters, digits and their accents. */
export function splitTerms(text: string): string[] {
  return foldText(text.normalize('NFC'))
    .split(/[^\p{L}\p{N}]+/u)
    .filter((term) => term !== '')
}

const WORD = /[\p{L}\p{N}]/u

/** Where a word of the folded text begins with the term; -1: nowhere. */
export function findTerm(folded: string, term: string): number {
  for (let at = folded.indexOf(term); at !== -1; at = folded.indexOf(term, at + 1)) {
    if (at === 0 || !WORD.test(folded[at - 1]!)) return at
  }
  return -1
}
