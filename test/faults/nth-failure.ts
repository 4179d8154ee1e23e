// Each command, with its n-th operation on a file, a process or a socket failing: with what, and for which n. Whatever it was:
// an answer in words, no success that is not true, and the next command finishes or rolls back what was left.
import { mkdtempSync, rmSync } from 'node:fs'
import type { Random } from '../../src/rehearsal/random.ts'
import type { RunResult } from '../support/ao-home.ts'
import { message } from './power-next.ts'
import { createPreload, ERRORS, type Failure, type Operation, type Preload, recording } from './preload.ts'

/** A home in which commands are played one after the other, each on what the last one left. */
export interface Stage {
  home: string
  /** In a process of its own, as a user. */
  run(args: string[], env?: NodeJS.ProcessEnv): RunResult
  /** The same answer, for what prepares and looks: nothing fails in it. */
  ask(args: string[]): Promise<RunResult>
  /** What belongs to nothing, after the next command has had its chance. */
  leaks(): Promise<string[]>
  cleanup(): Promise<string[]>
}

export interface Command<S extends Stage = Stage> {
  name: string
  /** Brings about what it needs; returns its arguments. */
  prepare(stage: S): Promise<string[]>
  /** Is what it answered true, and can it be repeated or rolled back? */
  check(stage: S, answer: RunResult, args: string[]): AsyncIterable<string> | Iterable<string>
}

export interface Case {
  command: string
  n: number
  failure: Failure
}

export interface NthReport {
  tried(command: string): void
  broken(what: string): void
  /** The operation did not come up this time: nothing was tried. */
  missed(): void
}

/** Longer than any wait of a command for something that does not answer. */
const HANGS_MS = 100_000

export interface NthFailures<S extends Stage> {
  commands: ReadonlyArray<Command<S>>
  /** For programs that commands talk to and that were started before. */
  env: NodeJS.ProcessEnv
  /** Everything that could be tried. */
  casesOf(command: Command<S>): Promise<Case[]>
  play(one: Case, report: NthReport): Promise<void>
  end(): Promise<string[]>
}

/** `counted`: what each command does, from a run before this one; it is added to. */
export function createNthFailures<S extends Stage>(
  stage: S,
  commands: ReadonlyArray<Command<S>>,
  counted: Record<string, Operation[]> = {},
): NthFailures<S> {
  const directory = mkdtempSync(`${stage.home}-nth-`)
  const preload = createPreload(directory, stage.home)
  const operationsOf = async (command: Command<S>): Promise<Operation[]> => {
    counted[command.name] ??= await countOperations(stage, command, preload)
    return counted[command.name]!
  }
  return {
    commands,
    env: recording(preload, 'list'),
    casesOf: async (command) =>
      (await operationsOf(command)).flatMap(({ n, kind }) =>
        (Object.keys(ERRORS) as Failure[])
          .filter((failure) => (ERRORS[failure] as readonly string[]).includes(kind))
          .map((failure) => ({ command: command.name, n, failure })),
      ),
    play(one, report) {
      return playCase(stage, commands.find(({ name }) => name === one.command)!, { ...one, preload, report })
    },
    end() {
      rmSync(directory, { recursive: true, force: true })
      return stage.cleanup()
    },
  }
}

/** What the command does when nothing fails. */
async function countOperations<S extends Stage>(stage: S, command: Command<S>, preload: Preload): Promise<Operation[]> {
  const args = await command.prepare(stage)
  preload.reset()
  const answer = stage.run(args, recording(preload, 'list'))
  if (answer.exitCode !== 0) throw new Error(message(args, answer))
  const found = preload.operations()
  preload.reset()
  for await (const problem of command.check(stage, answer, args)) throw new Error(`without a failure: ${problem}`)
  return found
}

interface Played extends Case {
  preload: Preload
  report: NthReport
}

async function playCase<S extends Stage>(
  stage: S,
  command: Command<S>,
  { n, failure, preload, report }: Played,
): Promise<void> {
  const args = await command.prepare(stage)
  preload.arm(n, failure)
  const began = performance.now()
  const answer = stage.run(args, preload.env)
  const hit = preload.disarm()
  if (hit === null) report.missed()
  else report.tried(command.name)
  const problems = [...wording(args, answer)]
  if (performance.now() - began > HANGS_MS) problems.push('it took too long')
  for await (const problem of command.check(stage, answer, args)) problems.push(problem)
  problems.push(...(await stage.leaks()))
  const where = `${command.name}, ${n}: ${failure} in ${hit?.what ?? 'nothing'}`
  for (const problem of problems) report.broken(`${where}: ${problem}\n  answered ${message(args, answer)}`)
}

/** No crash without a message, no stack, no bug of ours. */
function* wording(args: string[], answer: RunResult): Generator<string> {
  if (answer.exitCode === null) yield `it was ended by ${answer.signal}`
  if (/went wrong inside|\n {4}at |node:internal/.test(answer.stderr + answer.stdout)) yield 'no answer in words'
  if (answer.exitCode !== 0 && `${answer.stdout}${answer.stderr}`.trim() === '') yield `${args[0]} message nothing`
}

/**
 * A random sample that takes its turns among the commands, some of each in a row. What a command does is counted only when its
 * turn comes, which takes as long as trying it.
 */
export async function* sample<S extends Stage>(
  all: NthFailures<S>,
  count: number,
  random: Random,
  inARow = 1,
): AsyncGenerator<Case> {
  const first = random.below(all.commands.length)
  for (let n = 0; n < count; n++) {
    const turn = first + Math.floor(n / inARow)
    yield random.pick(await all.casesOf(all.commands[turn % all.commands.length]!))
  }
}
