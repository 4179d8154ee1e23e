// `landing.resolve` of a project: conflicts that the train solves by itself.
import { group, key, type Value } from './key.ts'
import { listOf, oneOf, safeName, seconds, texts } from './values.ts'

const KEYS = {
  lockfiles: [],
  regenerate: ['paths', 'run'],
  union: ['paths'],
  additions: ['paths'],
  sequence: ['name', 'files'],
} as const
const OPTIONAL: readonly string[] = ['timeout']

const name: Value<string> = { schema: safeName('The name of a sequence') }

/** One run of #, in the last part of a path that stays inside the repository. */
const numbered: Value<string> = {
  schema: (z) =>
    z
      .string()
      .check(
        z.regex(
          /^(?!\.{1,2}\/)(?:[^/*#:]+\/(?!\.{1,2}\/))*[^/#]*#{1,15}[^/#]*$/,
          'must name one directory and files with a number, such as db/migrations/####_*.sql',
        ),
        z.maxLength(500, 'is too long'),
      ),
}

const command: Value<string> = {
  schema: (z) => z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000, 'is too long')),
}

const rule = group(
  {
    about: '',
    check: (z) =>
      z.refine<Record<string, unknown>>(({ kind, ...given }) => {
        const needed: readonly string[] = KEYS[kind as keyof typeof KEYS] ?? []
        const isRun = kind === 'regenerate' || kind === 'lockfiles'
        const written = Object.keys(given).filter((one) => given[one] !== undefined)
        return (
          needed.every((one) => written.includes(one)) &&
          written.every((one) => needed.includes(one) || (isRun && OPTIONAL.includes(one)))
        )
      }, 'needs exactly what its kind takes. lockfiles: nothing; regenerate: paths and run; union and additions: paths; sequence: name and files. The first two may have a timeout'),
  },
  {
    kind: key(
      oneOf(['lockfiles', 'regenerate', 'union', 'additions', 'sequence']),
      'ci',
      "How they are solved. lockfiles: those of npm, pnpm, Yarn, Cargo, Go, Poetry, uv, Bundler and Composer are made again with their own tool; regenerate: the base branch's files are taken, and `run` makes them again; union: both sides' new lines are kept; additions: whole blocks that both added at one place of a source file, one after the other; sequence: the later of two equal numbers becomes the next free one",
      { required: true },
    ),
    paths: key(texts, 'ci', 'Files that it is about; as in .gitignore, such as CHANGELOG.md or src/generated/'),
    run: key(command, 'ci', 'A command that makes the files again, in a fresh worktree of the merged work'),
    timeout: key(
      seconds('must be a number of seconds', [86_400, 'may be a day at most']),
      'ci',
      'Seconds that a command may take; 600 by default',
    ),
    name: key(name, 'ci', 'What the sequence is called, for `ao claim <name>`'),
    files: key(numbered, 'ci', 'Its files, with # for each digit of the number: db/migrations/####_*.sql'),
  },
)

export const resolve = key(
  listOf(rule, (z, list) =>
    list.check(
      z.maxLength(50, 'may hold 50 rules at most'),
      z.refine<unknown>((all) => {
        const names = (all as Array<{ name?: string }>).flatMap(({ name }) => name ?? [])
        return new Set(names).size === names.length
      }, 'has two sequences of the same name'),
    ),
  ),
  'ci',
  'Conflicts that the train solves by itself; the first rule that is about a file counts',
)
