// `gates` of a project: what ao itself checks before it calls a session mergeable.
import { SEVERITIES } from '../pull.ts'
import { group, key, type Value } from './key.ts'
import { flag, listOf, oneOf, seconds, texts, wholeNumber } from './values.ts'

const patterns = (about: string) => key(texts, 'ci', `${about}; as in .gitignore, such as infra/ or **/*.pem`)
const limit = (about: string) => key(wholeNumber(0), 'ci', about)

const gateName: Value<string> = {
  schema: (z) =>
    z
      .string()
      .check(
        z.minLength(1, 'must not be empty'),
        z.maxLength(80, 'may have 80 characters at most'),
        z.regex(/^[^\n\t]*$/, 'must be one line'),
      ),
}

const command: Value<string> = {
  schema: (z) => z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000, 'is too long')),
}

const testCommand: Value<string> = {
  schema: (z) =>
    z
      .string()
      .check(
        z.maxLength(10_000, 'is too long'),
        z.regex(/\{(?:tests|dirs)\}/, 'has to say where the files go: {tests}, or {dirs}'),
      ),
}

const gate = group(
  {
    about: '',
    check: (z) =>
      z.refine<Record<string, unknown>>(({ name: _, run, timeout, where, coverage, ...rule }) => {
        if (coverage !== undefined && run === undefined) return false
        const { except: _except, witness, tests, advisory, ...rules } = rule
        const ofWitness = [tests, advisory].some((one) => one !== undefined)
        if (witness !== undefined)
          return run === undefined && where === undefined && Object.values(rules).every((one) => one === undefined)
        if (ofWitness) return false
        const hasRule = Object.values(rules).some((value) => value !== undefined && value !== false)
        return run === undefined
          ? hasRule && timeout === undefined && where === undefined
          : Object.values(rule).every((one) => one === undefined)
      }, 'needs either `run`, with or without `timeout`, `where` and `coverage`, or `witness`, with or without `timeout`, `tests` and `advisory`, or a rule: forbid, maxFiles, maxLines, maxFileKb, secrets, reviewed'),
  },
  {
    name: key(gateName, 'ci', 'What the check is called: `gate: <name>`', { required: true }),
    run: key(command, 'ci', 'A command that runs in a fresh worktree of the exact commit; it passes with exit code 0'),
    timeout: key(
      seconds('must be a number of seconds', [86_400, 'may be a day at most']),
      'ci',
      'Seconds that `run` may take; 600 by default',
    ),
    where: key(
      oneOf(['place', 'home', 'either']),
      'ci',
      'Where `run` runs for a session in a place. place (the default): beside its agent; home: on this machine; either: on this machine once its place is gone',
    ),
    coverage: key(
      command,
      'ci',
      'Where `run` leaves its coverage in the checkout: lcov, Istanbul, V8, Cobertura or Go; lines of the change that never ran are marked',
    ),
    witness: key(
      testCommand,
      'ci',
      'A command that runs the tests `{tests}` (or in the directories `{dirs}`): those that the change adds or alters, on the change and on the commit that it started from. `{report}`: where it writes its report; without it, what it prints is read',
      { verbatim: true },
    ),
    tests: patterns('Names of test files, in place of the usual ones'),
    advisory: key(flag, 'ci', 'true: `witness` shows what it finds and always passes'),
    forbid: patterns('Paths that must not be changed'),
    maxFiles: limit('How many files may be changed'),
    maxLines: limit('How many lines may be added and deleted together'),
    maxFileKb: limit('How large a changed file may be, in KB'),
    secrets: key(flag, 'ci', 'true: no added line may contain anything that looks like a key or a token'),
    reviewed: key(
      oneOf(SEVERITIES),
      'ci',
      'A reviewer has to read this very commit and find nothing of this severity or worse; waits for the reaction `review`',
    ),
    except: patterns('Paths that a rule leaves out'),
  },
)

export const gates = key(
  listOf(gate, (z, list) =>
    list.check(
      z.maxLength(50, 'may hold 50 gates at most'),
      z.refine<unknown>((all) => {
        const names = (all as Array<{ name: string }>).map(({ name }) => name)
        return new Set(names).size === names.length
      }, 'has two gates of the same name'),
    ),
  ),
  'ci',
  'What ao itself checks on the exact head of a pull request before it calls it mergeable, on every forge',
)
