// `gates` of a project: what ao itself checks before it calls a session mergeable.
import * as z from 'zod/mini'
import { described, texts, wholeNumber } from './described.ts'

const patterns = (about: string) => texts(`${about}; as in .gitignore, such as infra/ or **/*.pem`)
const limit = (about: string) => described(z.optional(wholeNumber(0)), about)

const gateSchema = z
  .strictObject({
    name: described(
      z
        .string()
        .check(
          z.minLength(1, 'must not be empty'),
          z.maxLength(80, 'may have 80 characters at most'),
          z.regex(/^[^\n\t]*$/, 'must be one line'),
        ),
      'What the check is called: `gate: <name>`',
    ),
    run: described(
      z.optional(z.string().check(z.minLength(1, 'must not be empty'), z.maxLength(10_000, 'is too long'))),
      'A command that runs in a fresh worktree of the exact commit; it passes with exit code 0',
    ),
    timeout: described(
      z.optional(
        z.number().check(z.positive('must be a number of seconds'), z.maximum(86_400, 'may be a day at most')),
      ),
      'Seconds that `run` may take; 600 by default',
    ),
    where: described(
      z.optional(z.enum(['place', 'home', 'either'])),
      'Where `run` runs for a session in a place. place (the default): beside its agent; home: on this machine; either: on this machine once its place is gone',
    ),
    forbid: patterns('Paths that must not be changed'),
    maxFiles: limit('How many files may be changed'),
    maxLines: limit('How many lines may be added and deleted together'),
    maxFileKb: limit('How large a changed file may be, in KB'),
    secrets: described(z.optional(z.boolean()), 'true: no added line may hold what has the form of a key or a token'),
    except: patterns('Paths that a rule leaves out'),
  })
  .check(
    z.refine(({ name, run, timeout, where, ...rule }) => {
      const { except, ...rules } = rule
      const hasRule = Object.values(rules).some((value) => value !== undefined && value !== false)
      return run === undefined
        ? hasRule && timeout === undefined && where === undefined
        : Object.values(rule).every((one) => one === undefined)
    }, 'needs either `run`, with or without `timeout` and `where`, or a rule: forbid, maxFiles, maxLines, maxFileKb, secrets'),
  )

export const gatesSchema = described(
  z.optional(
    z.array(gateSchema).check(
      z.maxLength(50, 'may hold 50 gates at most'),
      z.refine(
        (gates) => new Set(gates.map(({ name }) => name)).size === gates.length,
        'has two gates of the same name',
      ),
    ),
  ),
  'What ao itself checks on the exact head of a pull request before it calls it mergeable, on every forge',
)
