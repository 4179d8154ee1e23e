// The tests in a file's text, as far as they can be told without running it: names, lines, assertions, skips. Comments and strings
// count for nothing, and neither does an assertion about a literal. Pure.

export interface TestBlock {
  /** null: whatever comes before the first test of the file. */
  title: string | null
  line: number
  assertions: number
  /** Of those, the ones that compare with an expected value. */
  comparisons: number
  /** Lines that skip it, or let it run alone. */
  skips: number[]
  /** Without comments and spaces; the name of the test left out. */
  body: string
}

interface Family {
  files: RegExp
  comment: '//' | '#'
  /** Where a test is declared. Group 1: its name, where that is a word; otherwise the next string is. */
  declares: RegExp
  skips: RegExp
}

const FAMILIES: readonly Family[] = [
  {
    files: /\.(?:[cm]?[jt]sx?|vue|svelte)$/,
    comment: '//',
    declares: /^[ \t]*(?:await[ \t]+)?(?:x|f)?(?:it|test|specify|Deno\.test)(?:\.\w+(?:\([^()\n]*\))?)*[ \t]*[(`]/gm,
    skips:
      /\.(?:skip|todo|fails|failing|fixme|skipIf|runIf|only)\b|^[ \t]*x(?:it|test|describe)\b|\b(?:t|ctx|context|this)\.skip\(|^[ \t]*f(?:it|describe)\(/gm,
  },
  {
    files: /\.py$/,
    comment: '#',
    declares: /^[ \t]*(?:async[ \t]+)?def[ \t]+(test\w*)[ \t]*\(/gm,
    skips:
      /@(?:pytest\.mark\.(?:skip|skipif|xfail)|unittest\.(?:skip\w*|expectedFailure)|skip\w*)\b|\bpytest\.(?:skip|xfail|importorskip)\(|\.skipTest\(|\bpytestmark\b/g,
  },
  {
    files: /\.go$/,
    comment: '//',
    declares: /^func[ \t]+((?:Test|Fuzz|Example)\w*)[ \t]*\(/gm,
    skips: /\.(?:Skip|Skipf|SkipNow)\(/g,
  },
  {
    files: /\.(?:java|kt|kts|scala|groovy|cs|swift|php|dart)$/,
    comment: '//',
    declares:
      /^[ \t]*(?:(?:public|private|internal|protected|static|final|async|override|open)[ \t]+)*(?:void|fun|func|function|Task|def)[ \t]+[`]?(\w+)[`]?[ \t]*\(/gm,
    skips: /@(?:Disabled|Ignore)\b|\[(?:Ignore|Skip)\b|\bSkip[ \t]*=|\bmarkTestSkipped\(|XCTSkip/g,
  },
  {
    files: /\.rs$/,
    comment: '//',
    declares: /^[ \t]*(?:async[ \t]+)?fn[ \t]+(\w+)[ \t]*\(/gm,
    skips: /#\[ignore/g,
  },
  {
    files: /\.(?:rb|exs?|bats|sh)$/,
    comment: '#',
    declares: /^[ \t]*(?:(?:x|f)?(?:it|specify|test)|@test)[ \t(]+(?=["'])|^[ \t]*def[ \t]+(test_\w+)/gm,
    skips: /^[ \t]*x(?:it|describe|context)\b|^[ \t]*(?:skip|pending)\b|@tag[ \t]+:skip/gm,
  },
]

const MOST_TEXT = 1024 * 1024
const MOST_BLOCKS = 5_000
const MOST_SKIPS = 100

function familyOf(path: string): Family | undefined {
  return FAMILIES.find(({ files }) => files.test(path))
}

/** Of any other file nothing is read: a picture, a snapshot. */
export function mayHaveBlocks(path: string): boolean {
  return familyOf(path) !== undefined
}

/** null: in a language that nothing is known about. */
export function readTestBlocks(path: string, text: string): TestBlock[] | 'too large' | null {
  const family = familyOf(path)
  if (family === undefined) return null
  if (text.length > MOST_TEXT) return 'too large'
  const masked = maskSource(text, family.comment)
  const starts: Array<{ at: number; title: string | null }> = [{ at: 0, title: null }]
  for (const found of masked.matchAll(family.declares)) {
    if (starts.length > MOST_BLOCKS) return 'too large'
    const title = found[1] ?? titleAfter(text, masked, found.index + found[0].length - 1)
    if (title !== null) starts.push({ at: withDecorators(masked, found.index), title })
  }
  const lineAt = lineFinder(text)
  return starts.map(({ at, title }, index): TestBlock => {
    const end = Math.max(at, starts[index + 1]?.at ?? text.length)
    const code = masked.slice(at, end)
    const original = text.slice(at, end)
    return {
      title,
      line: lineAt(at + (/^\s*/.exec(code)?.[0].length ?? 0)),
      ...countAssertions(code, original),
      skips: [...code.matchAll(family.skips)].slice(0, MOST_SKIPS).map((found) => lineAt(at + found.index)),
      body: bodyOf(original, code, title),
    }
  })
}

/** The first string behind the declaration; of `each(table)(title, …)` the first one behind the table. */
function titleAfter(text: string, masked: string, from: number): string | null {
  const isTable = /\.(?:each|for)[ \t]*[(`]$/.test(masked.slice(Math.max(0, from - 20), from + 1))
  const start = isTable ? masked.slice(from, from + 20_000).search(/[)`][ \t]*\(/) + from : from
  if (start < from) return null
  const [, , title] =
    /^[^'"`\n]{0,80}?\n?[ \t]*(["'`])((?:\\.|(?!\1)[^\\])*)\1/.exec(
      text.slice(start + (isTable ? 1 : 0), start + 600),
    ) ?? []
  return title === undefined ? null : title.replace(/\\(['"`\\])/g, '$1')
}

/** Lines above it that belong to it: `@skip`, `#[ignore]`, `[Fact]`. */
function withDecorators(masked: string, at: number): number {
  let start = masked.lastIndexOf('\n', at - 1) + 1
  for (;;) {
    const before = masked.lastIndexOf('\n', start - 2) + 1
    if (start === 0 || !/^[ \t]*(?:@\w|#\[|\[\w)/.test(masked.slice(before, start))) return start
    start = before
  }
}

const ASSERTION =
  /\b(?:expect(?:\.(?!assertions|hasAssertions|extend|any|objectContaining)\w{1,60}){0,8}|expectTypeOf|assert\w*(?:\.\w{1,60}){0,8}!?|(?:self|this|t|tt|is|a|req|require|should|Assert|XCTAssert\w*)\.(?:assert\w*|[A-Za-z]*(?:[Ee]qual|Error|Fatal|Fail|Nil|True|False|Len|Contains|Panics|Same|Match|Throws?|[Oo]k)\w*)|XCTAssert\w*|pytest\.raises|must_\w+|refute\w*)\b!?[ \t]*(?=[(\w\s"'[{-])/g
const LITERAL = /^\(?[ \t]*(?:true|True|1|!0|not False|!false)[ \t]*(?:\)|,|$|==)/
const COMPARES =
  /\.(?:toBe|toEqual|toStrictEqual|toMatch\w*|toHave\w+|toContain\w*|toThrow\w*|toBe(?:Greater|Less|Close)\w+|rejects|resolves)\(|===?|!==?|\bassert\w*(?:Equals?|Equal\w*|In|Raises\w*|Throws|_eq|_ne)\b|\.(?:[a-zA-Z]*[Ee]qual\w*|is|same\w*|throws|rejects|match\w*|Len|Contains|EqualError)\(|raises\(/

function countAssertions(code: string, original: string): { assertions: number; comparisons: number } {
  let assertions = 0
  let comparisons = 0
  for (const found of code.matchAll(ASSERTION)) {
    if (assertions >= MOST_ASSERTIONS) break
    const rest = found.index + found[0].length
    if (LITERAL.test(original.slice(rest, rest + 40))) continue
    assertions++
    if (COMPARES.test(statementAt(code, found.index))) comparisons++
  }
  return { assertions, comparisons }
}

const LONGEST_STATEMENT = 1_000
const MOST_ASSERTIONS = 5_000

/** Up to the end of its parentheses and what follows them in the same line. */
function statementAt(code: string, at: number): string {
  let depth = 0
  const most = Math.min(code.length, at + LONGEST_STATEMENT)
  for (let end = at; end < most; end++) {
    const character = code[end]
    if (character === '(') depth++
    else if (character === ')') depth--
    else if (character === '\n' && depth <= 0 && !/^\s*\./.test(code.slice(end + 1, end + 40)))
      return code.slice(at, end)
  }
  return code.slice(at, most)
}

/** With its strings, which are what it compares with, and without its comments. */
function bodyOf(original: string, code: string, title: string | null): string {
  let body = ''
  for (let at = 0; at < original.length; at++) if (code[at] !== '\u0001') body += original[at]
  return (title === null ? body : body.replace(title, '')).replace(/\s+/g, ' ').trim()
}

function lineFinder(text: string): (offset: number) => number {
  const ends = [...text.matchAll(/\n/g)].map(({ index }) => index)
  return (offset) => {
    let [low, high] = [0, ends.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if (ends[middle]! < offset) low = middle + 1
      else high = middle
    }
    return low + 1
  }
}

/** The same length: strings become spaces, comments become U+0001. A quote that is not closed ends with its line. */
function maskSource(text: string, comment: '//' | '#'): string {
  const out: string[] = []
  let at = 0
  const skip = (end: number, filler: string) => {
    for (const stop = Math.min(end, text.length); at < stop; at++) out.push(text[at] === '\n' ? '\n' : filler)
  }
  while (at < text.length) {
    const character = text[at]!
    if (text.startsWith(comment, at) && !(comment === '#' && text[at + 1] === '['))
      skip(endOf(text, '\n', at), '\u0001')
    else if (comment === '//' && text.startsWith('/*', at)) skip(endOf(text, '*/', at + 2) + 2, '\u0001')
    else if (comment === '#' && /^(?:"""|''')/.test(text.slice(at, at + 3)))
      skip(endOf(text, text.slice(at, at + 3), at + 3) + 3, '\u0001')
    else if (character === '"' || character === "'" || (character === '`' && comment === '//')) {
      const end = stringEnd(text, at, character)
      out.push(character)
      at++
      skip(end, ' ')
      if (at < text.length && text[at] === character) {
        out.push(character)
        at++
      }
    } else {
      out.push(character)
      at++
    }
  }
  return out.join('')
}

function endOf(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at === -1 ? text.length : at
}

function stringEnd(text: string, start: number, quote: string): number {
  for (let at = start + 1; at < text.length; at++) {
    if (text[at] === '\\') at++
    else if (text[at] === quote) return at
    else if (text[at] === '\n' && quote !== '`') return at
  }
  return text.length
}
