// A text of the shell as simple commands, each a list of words; what only a shell can know stays open. Nothing is expanded. Pure.

export interface Word {
  text: string
  /** It has a variable, a substitution or a pattern in it. */
  isOpen: boolean
}

/** In place of the directory of the script itself. */
export const HERE = '\u0001'

const LONGEST = 128 * 1024
const MOST_COMMANDS = 2_000
const OWN_DIRECTORY =
  /^\$(?:\(dirname(?: --)? "?\$(?:0|\{?BASH_SOURCE(?:\[0\])?\}?)"?\)|\{(?:0|BASH_SOURCE(?:\[0\])?)%\/\*\})/
const VARIABLE = /^\$(?:\{[^}]*\}|\w+|[*@#?!$-])/

/** `depth`: commands in commands, such as `$(…)`, are listed by themselves. */
export function shellCommands(whole: string, depth = 0): Word[][] {
  const text = whole.slice(0, LONGEST).replace(/\\\r?\n/g, ' ')
  const commands: Word[][] = [[]]
  let word: Word | null = null
  const add = (part: string, isOpen = false) => {
    word ??= { text: '', isOpen: false }
    word.text += part
    word.isOpen ||= isOpen
  }
  const endWord = () => {
    if (word !== null) commands.at(-1)!.push(word)
    word = null
  }
  const inner = (part: string) => {
    if (depth < 3) commands.unshift(...shellCommands(part, depth + 1))
    add('', true)
  }
  let quote = ''
  for (let at = 0; at < text.length && commands.length < MOST_COMMANDS; at++) {
    const char = text[at]!
    const rest = char === '$' ? text.slice(at, at + 200) : ''
    const own = quote === "'" ? null : OWN_DIRECTORY.exec(rest)
    if (own) {
      add(HERE)
      at += own[0].length - 1
    } else if (quote === "'" || (quote === '"' && !'"\\$`'.includes(char))) {
      if (char === quote) quote = ''
      else add(char)
    } else if (char === '\\') add(text[++at] ?? '')
    else if (char === '"' || char === "'") {
      quote = quote === char ? '' : char
      add('')
    } else if (char === '`' || rest.startsWith('$(')) {
      const [start, end] = char === '`' ? [at + 1, text.indexOf('`', at + 1)] : [at + 2, closing(text, at + 2)]
      inner(text.slice(start, end === -1 ? text.length : end))
      at = end === -1 ? text.length : end
    } else if (char === '$') {
      const found = VARIABLE.exec(rest)?.[0] ?? '$'
      add(found, found.length > 1)
      at += found.length - 1
    } else if (char === '#' && word === null) at = endOfLine(text, at) - 1
    else if (/[\n;&|(){}]/.test(char) && !(/[{}]/.test(char) && word !== null)) {
      endWord()
      if (commands.at(-1)!.length > 0) commands.push([])
    } else if (/[\s<>]/.test(char)) endWord()
    else add(char, /[*?[\]]/.test(char))
  }
  endWord()
  return commands.filter(({ length }) => length > 0)
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf('\n', from)
  return end === -1 ? text.length : end
}

/** Of `$(`, quotes aside. -1: it is never closed. */
function closing(text: string, from: number): number {
  let depth = 1
  for (let at = from; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === '(') depth++
    else if (text[at] === ')' && --depth === 0) return at
  }
  return -1
}
