// What a page of documentation shows: its links, headings, blocks, and the lines that a reader would type.

const FENCE = /^( *)```(\w*)\n([\s\S]*?)^\1```$/gm

export function fencedBlocks(text: string, language: string): string[] {
  return [...text.matchAll(FENCE)].filter(([, , name]) => name === language).map(([, , , body]) => body!)
}

/** Targets that are not addresses of another server. */
export function relativeLinks(text: string): string[] {
  const prose = text.replace(FENCE, '').replace(/`[^`\n]*`/g, '')
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!).filter((one) => !/^[a-z]+:/.test(one))
}

/** The anchors that GitHub derives from the headings. */
export function headingSlugs(text: string): string[] {
  const headings = [...text.replace(FENCE, '').matchAll(/^#+ (.*)$/gm)].map(([, heading]) => heading!)
  return headings.map((heading) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .trim()
      .replace(/\s/g, '-'),
  )
}

/** Every `ao …` and `agh …` in the blocks of shell, as words. */
export function commandLines(text: string): string[][] {
  const blocks = [...fencedBlocks(text, 'sh'), ...fencedBlocks(text, '')]
  return blocks.flatMap(splitBlock).filter(([program]) => program === 'ao' || program === 'agh')
}

/** Everything that a reader would run, other programs included. */
export function shellCommands(text: string): string[][] {
  return fencedBlocks(text, 'sh').flatMap(splitBlock)
}

function splitBlock(block: string): string[][] {
  return block
    .replaceAll(/\\\n\s*/g, ' ')
    .split('\n')
    .flatMap(splitLine)
}

/** What a reader types, in order, and what the page takes for granted (`<!-- run: … -->`, a command in each line). */
export function pageLines(text: string): string[] {
  const parts = text.matchAll(/^( *)```sh\n([\s\S]*?)^\1```$|^<!-- run:\s([\s\S]*?)-->$/gm)
  return [...parts]
    .flatMap(([, , block, hidden]) => (block ?? hidden)!.replaceAll(/\\\n\s*/g, ' ').split('\n'))
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'))
}

/** Those between backquotes; `ao issue new|ls` stands for both, `[session]` may be left out. */
export function inlineCommands(text: string): string[][] {
  const spans = [...text.replace(FENCE, '').matchAll(/`((?:ao|agh) [^`\n]+)`/g)].map(([, span]) => span!)
  return spans.filter((span) => !span.includes('…')).flatMap((span) => expand(splitWords(span)))
}

function expand(argv: string[]): string[][] {
  const at = argv.findIndex((word) => /^[a-z-]+(\|[a-z-]+)+$/.test(word))
  if (at === -1) return [argv.flatMap(plain)]
  return argv[at]!.split('|').flatMap((word) => expand([...argv.slice(0, at), word, ...argv.slice(at + 1)]))
}

/** A line may have a prompt, variables before the command, other commands around it, and a remark at its end. */
function splitLine(line: string): string[][] {
  const inner: string[][] = []
  const outer = line.replace(/^ *\$ /, '').replace(/\$\(([^)]*)\)/g, (_, command: string) => {
    inner.push(...splitLine(command))
    return 'x'
  })
  const commands: string[][] = [[]]
  for (const word of splitWords(outer)) {
    if (/^(&&|\|\||\||;)$/.test(word)) commands.push([])
    else commands.at(-1)!.push(word)
  }
  const typed = commands
    .map(withoutRedirect)
    .map((argv) => argv.slice(argv.findIndex((word) => !/^[A-Za-z_]+=/.test(word))))
    .filter(([program]) => program !== undefined && !/^[A-Za-z_]+=/.test(program))
  return [...inner, ...typed.map((argv) => argv.flatMap(plain))]
}

function withoutRedirect(argv: string[]): string[] {
  const at = argv.indexOf('>')
  return at === -1 ? argv : argv.slice(0, at)
}

/** Words as a shell splits them; a quoted text is one word, a comment is none. */
function splitWords(line: string): string[] {
  const argv: string[] = []
  for (const [word] of line.matchAll(/(?:"[^"]*"|'[^']*'|[^\s"'])+/g)) {
    if (word.startsWith('#')) break
    const ended = word.endsWith(';') ? [word.slice(0, -1), ';'] : [word]
    argv.push(...ended.map((one) => one.replace(/["']/g, '')))
  }
  return argv
}

/** In a usage line: `[options]` is nothing that one types, `[--follow]` is. */
function plain(word: string): string[] {
  if (/^\[--?[\w-]+\]$/.test(word)) return [word.slice(1, -1)]
  return word.startsWith('[') ? [] : [word]
}
