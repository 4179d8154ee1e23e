// Performs one step of the script and reports the result. The outcome says what it means for the rest of the turn.
import { execFailure } from '../../../lib/exec.ts'
import {
  appendText,
  changeFile,
  commitAll,
  deleteFile,
  mergeBaseBranch,
  openPullRequest,
  pushBranch,
  replaceText,
  reviewChange,
  runCommand,
  type Workplace,
  writeText,
} from './hands.ts'
import type { Step } from './script.ts'

export interface Performance extends Workplace {
  /** Everything is allowed without asking. */
  skipPermissions: boolean
  say(text: string): void
  /** Lets time pass, with an occasional sign of life. Rejects when interrupted. */
  pass(seconds: number): Promise<void>
  /** The person's answer. */
  ask(question: string): Promise<string>
  /** The person's yes or no. */
  mayI(what: string): Promise<boolean>
  /** Says nothing more until somebody speaks. */
  goSilent(): Promise<string>
}

export type Outcome =
  | { next: 'go-on' }
  | { next: 'skip-one' }
  /** The person's message may contain a script of its own. */
  | { next: 'heard'; message: string }
  | { next: 'finish'; text: string }
  | { next: 'fail'; message: string }
  | { next: 'leave'; code: number; how: 'exit' | 'crash' }

const GO_ON: Outcome = { next: 'go-on' }

export async function performStep(step: Step, on: Performance): Promise<Outcome> {
  switch (step.verb) {
    case 'say':
      return print(on, step.text)
    case 'think':
    case 'wait':
      await on.pass(step.seconds)
      return GO_ON
    case 'write':
    case 'append':
    case 'edit':
    case 'delete':
      return print(on, changeWorkspace(step, on))
    case 'run':
      return performRun(step.argv, on)
    case 'commit':
      return print(on, await commitAll(on, step.message))
    case 'push':
      return print(on, (await pushBranch(on)) ?? 'There is no remote, so there is nothing to push.')
    case 'merge-base':
      return print(on, await mergeBaseBranch(on))
    case 'pr':
      return performPr(step.title, on)
    case 'review':
      return print(on, await reviewChange(on, step))
    case 'ask':
      return { next: 'heard', message: await on.ask(step.question) }
    case 'permission':
      return askPermission(step.what, on)
    case 'stuck':
      return { next: 'heard', message: await on.goSilent() }
    case 'fail':
      return { next: 'fail', message: step.message }
    case 'finish':
      return { next: 'finish', text: step.text }
    case 'crash':
      return { next: 'leave', code: step.code, how: 'crash' }
    case 'exit':
      return { next: 'leave', code: step.code, how: 'exit' }
    case 'unknown':
      return print(on, `I do not understand this line of my script: "${step.line}" (${step.why}).`)
  }
}

function print(on: Performance, text: string): Outcome {
  on.say(text)
  return GO_ON
}

function changeWorkspace(step: Extract<Step, { path: string }>, on: Performance): string {
  return changeFile(on, step.path, (file) => {
    switch (step.verb) {
      case 'write':
        writeText(file, step.text)
        return `Wrote ${step.path}.`
      case 'append':
        appendText(file, step.text)
        return `Added to ${step.path}.`
      case 'edit':
        return replaceText(file, step.from, step.to) ? `Edited ${step.path}.` : `${step.path} does not hold that text.`
      case 'delete':
        deleteFile(file)
        return `Deleted ${step.path}.`
    }
  })
}

async function askPermission(what: string, on: Performance): Promise<Outcome> {
  if (on.skipPermissions) return print(on, `Allowed without asking (permissions: skip): ${what}`)
  const allowed = await on.mayI(what)
  on.say(allowed ? 'Thank you, I continue.' : 'Not allowed, so I leave the next step out.')
  return allowed ? GO_ON : { next: 'skip-one' }
}

/** The script may come from a stranger's issue: anything not plainly harmless needs approval, as with any agent. */
async function performRun(argv: string[], on: Performance): Promise<Outcome> {
  const line = argv.join(' ')
  if (!on.skipPermissions && !isHarmless(argv) && !(await on.mayI(`run the command: ${line}`))) {
    return print(on, `Not allowed, so I do not run ${line}.`)
  }
  const result = await runCommand(on, argv)
  const output = (result.stdout + result.stderr).trimEnd().split('\n').slice(-20)
  if (output.join('') !== '') on.say(output.map((one) => `  ${one}`).join('\n'))
  return print(on, result.ok ? `Ran ${line}.` : execFailure(argv[0]!, { ...result, stdout: '', stderr: '' }))
}

const HARMLESS = new Set(['true', 'false', 'echo', 'ls', 'cat', 'pwd', 'date', 'sleep'])
const HARMLESS_GIT = new Set(['status', 'log', 'diff', 'show'])

export function isHarmless(argv: string[]): boolean {
  const [command, argument] = argv
  if (command === 'git') return argv.length === 2 && HARMLESS_GIT.has(argument!)
  return command !== undefined && HARMLESS.has(command)
}

/** A forge elsewhere needs the branch first. */
async function performPr(title: string, on: Performance): Promise<Outcome> {
  const pushed = await pushBranch(on)
  if (pushed !== null) on.say(pushed)
  return print(on, await openPullRequest(on, title))
}
