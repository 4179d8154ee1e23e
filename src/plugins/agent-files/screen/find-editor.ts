// Pagers and text editors, which draw a screen of their own and take every key for a command. Pure.

const PAGER = /^\s*(?::|\(END\)|--\s?More\s?--.*|lines \d+-\d+\b.*|.*\(press h for help or q to quit\))\s*$/
const VI_MODE = /^\s*-- (?:INSERT|NORMAL|VISUAL|REPLACE|V-LINE|V-BLOCK)\b/
const NANO = /\^G Help\b.*\^\w/
/** vi fills what is below the end of a file with these. */
const FILLER = /^~$/
const FILLERS = 3

/** In words, for a person; null: neither is on the screen. */
export function findEditor(lines: readonly string[]): string | null {
  const last = lines.findLast((line) => line.trim() !== '') ?? ''
  if (PAGER.test(last)) return 'a pager'
  const isVi = VI_MODE.test(last) || lines.filter((line) => FILLER.test(line)).length >= FILLERS
  return isVi || lines.slice(-3).some((line) => NANO.test(line)) ? 'a text editor' : null
}
