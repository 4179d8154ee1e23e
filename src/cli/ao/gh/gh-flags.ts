// gh's own way of writing flags: `--json a,b`, `--json=a,b`, `-b text`, `-btext`, in any order with words.
import { GhError } from './gh-error.ts'

export interface Flag {
  short?: string
  /** It takes a value. */
  value?: true
}

export interface GhArguments<F extends Record<string, Flag>> {
  words: string[]
  /** The last value of a flag. */
  value(name: keyof F & string): string | undefined
  values(name: keyof F & string): string[]
  has(name: keyof F & string): boolean
}

/** On every command. */
const EVERYWHERE: Record<string, Flag> = { repo: { short: 'R', value: true } }

export function parseFlags<F extends Record<string, Flag>>(argv: readonly string[], own: F): GhArguments<F> {
  const flags: Record<string, Flag> = { ...EVERYWHERE, ...own }
  const given = new Map<string, string[]>()
  const words: string[] = []
  const left = [...argv]
  const add = (name: string, value: string) => given.set(name, [...(given.get(name) ?? []), value])
  const takeValue = (name: string, inline: string | undefined) => {
    const value = inline ?? left.shift()
    if (value === undefined) throw new GhError(`flag needs an argument: --${name}`)
    add(name, value)
  }
  for (let word = left.shift(); word !== undefined; word = left.shift()) {
    if (word === '--') words.push(...left.splice(0))
    else if (/^--./.test(word)) readLong(word)
    else if (/^-./.test(word)) readShort(word)
    else words.push(word)
  }
  return {
    words,
    value: (name) => given.get(name)?.at(-1),
    values: (name) => given.get(name) ?? [],
    has: (name) => given.has(name) && given.get(name)?.at(-1) !== 'false',
  }

  function readLong(word: string): void {
    const [, name = '', inline] = /^--([^=]+)(?:=([\s\S]*))?$/.exec(word) ?? []
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined
    if (!flag) throw new GhError(`unknown flag: --${name}`)
    if (flag.value) takeValue(name, inline)
    else add(name, inline ?? 'true')
  }

  function readShort(word: string): void {
    for (let at = 1; at < word.length; at++) {
      const entry = Object.entries(flags).find(([, { short }]) => short === word[at])
      if (!entry) throw new GhError(`unknown shorthand flag: '${word[at]}' in ${word}`)
      const [name, flag] = entry
      if (flag.value) {
        takeValue(name, word.slice(at + 1).replace(/^=/, '') || undefined)
        return
      }
      add(name, 'true')
    }
  }
}
