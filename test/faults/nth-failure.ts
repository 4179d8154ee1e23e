// Each command, with its n-th operation on a file, a process or a socket failing: with what, and for which n. Whatever it was:
// an answer in words, no success that is not true, and the next command finishes or rolls back what was left.
import { mkdtempSync, rmSync } from 'node:fs'
import type { RunResult } from '../support/ao-home.ts'
import { message } from './power-next.ts'
import { createPreload, ERRORS, type Failure, type Preload, recording } from './preload.ts'

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
  /** For all that it runs from now on: whatever starts a program that others talk to later, that one counts. */
  follow?(env: NodeJS.ProcessEnv): void
}

export interface Command<S extends Stage = Stage> {
  name: string
  /** Brings about what it needs; returns its arguments. */
  prepare(stage: S): Promise<string[]>
  /** Absent: they are those of `run`. */
  play?(stage: S, args: string[], env: NodeJS.ProcessEnv): RunResult
  /** Is what it answered true, and can it be repeated or rolled back? */
  check(stage: S, answer: RunResult, args: string[]): AsyncIterable<string> | Iterable<string>
}

/** The n-th of those operations that this failure can happen to. */
export interface Case {
  command: string
  n: number
  failure: Failure
}

/** How many operations each failure can happen to. */
export type Counted = Partial<Record<Failure, number>>

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
  /** Takes as long as trying it. */
  count(command: Command<S>): Promise<Counted>
  play(one: Case, report: NthReport): Promise<void>
  end(): Promise<string[]>
}

export function createNthFailures<S extends Stage>(stage: S, commands: ReadonlyArray<Command<S>>): NthFailures<S> {
  const directory = mkdtempSync(`${stage.home}-nth-`)
  const preload = createPreload(directory, stage.home)
  stage.follow?.(recording(preload, 'list'))
  return {
    commands,
    count: (command) => countOperations(stage, command, preload),
    play(one, report) {
      return playCase(stage, commands.find(({ name }) => name === one.command)!, { ...one, preload, report })
    },
    end() {
      rmSync(directory, { recursive: true, force: true })
      return stage.cleanup()
    },
  }
}

function playOf<S extends Stage>(stage: S, { play }: Command<S>, args: string[], env: NodeJS.ProcessEnv): RunResult {
  return play ? play(stage, args, env) : stage.run(args, env)
}

/** What the command does when nothing fails. */
async function countOperations<S extends Stage>(stage: S, command: Command<S>, preload: Preload): Promise<Counted> {
  const args = await command.prepare(stage)
  preload.reset()
  const answer = playOf(stage, command, args, recording(preload, 'list'))
  if (answer.exitCode !== 0) throw new Error(message(args, answer))
  const found = preload.operations()
  preload.reset()
  for await (const problem of command.check(stage, answer, args)) throw new Error(`without a failure: ${problem}`)
  for (const leak of await stage.leaks()) throw new Error(`without a failure: ${leak}`)
  const counted: Counted = {}
  for (const failure of Object.keys(ERRORS) as Failure[])
    counted[failure] = found.filter(({ kind }) => (ERRORS[failure] as readonly string[]).includes(kind)).length
  return counted
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
  const answer = playOf(stage, command, args, preload.env)
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
  if (answer.exitCode !== 0 && `${answer.stdout}${answer.stderr}`.trim() === '') yield `${args[0]} says nothing`
}
