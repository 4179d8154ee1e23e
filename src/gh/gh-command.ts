// `ao gh …` replaces gh where the pull requests are ao's own: gh's arguments, gh's output, gh's exit codes. An agent that
// knows gh needs to know nothing else. Hidden: people have `ao pr` and `ao issue`.

import { defineCommand } from '../cli/command.ts'
import type { Io } from '../cli/print/io.ts'
import { AoError, errorText } from '../contract/errors.ts'
import { IN_A_SESSION } from '../core/boundary/rights.ts'
import { isIssueNotFoundError } from '../slots/tracker.ts'
import { GhError, GhHelpError } from './gh-error.ts'
import { openGh } from './open-gh.ts'

type Answer = (argv: readonly string[], io: Io) => Promise<number>

const ANSWERS: Record<string, () => Promise<Answer>> = {
  api: async () => (await import('./api/api-command.ts')).api,
  'pr create': async () => (await import('./pr/pr-create.ts')).prCreate,
  'pr view': async () => (await import('./pr/pr-read.ts')).prView,
  'pr list': async () => (await import('./pr/pr-read.ts')).prList,
  'pr status': async () => (await import('./pr/pr-read.ts')).prStatus,
  'pr checks': async () => (await import('./pr/pr-read.ts')).prChecks,
  'pr diff': async () => (await import('./pr/pr-read.ts')).prDiff,
  'pr checkout': async () => (await import('./pr/pr-checkout.ts')).prCheckout,
  'pr comment': async () => (await import('./pr/pr-change.ts')).prComment,
  'pr review': async () => (await import('./pr/pr-change.ts')).prReview,
  'pr edit': async () => (await import('./pr/pr-change.ts')).prEdit,
  'pr ready': async () => (await import('./pr/pr-change.ts')).prReady,
  'pr close': async () => (await import('./pr/pr-change.ts')).prClose,
  'pr reopen': async () => (await import('./pr/pr-change.ts')).prReopen,
  'pr merge': async () => (await import('./pr/pr-change.ts')).prMerge,
  'issue view': async () => (await import('./issue/issue.ts')).issueView,
  'issue list': async () => (await import('./issue/issue.ts')).issueList,
  'issue create': async () => (await import('./issue/issue-change.ts')).issueCreate,
  'issue edit': async () => (await import('./issue/issue-change.ts')).issueEdit,
  'issue comment': async () => (await import('./issue/issue-change.ts')).issueComment,
  'issue close': async () => (await import('./issue/issue-change.ts')).issueClose,
  'issue reopen': async () => (await import('./issue/issue-change.ts')).issueReopen,
  'label list': async () => (await import('./label.ts')).labelList,
  'label create': async () => (await import('./label.ts')).labelCreate,
  'label edit': async () => (await import('./label.ts')).labelEdit,
  'label delete': async () => (await import('./label.ts')).labelDelete,
  'run list': async () => (await import('./run.ts')).runList,
  'run view': async () => (await import('./run.ts')).runView,
  'run watch': async () => (await import('./run.ts')).runWatch,
  'run rerun': async () => (await import('./run.ts')).runRerun,
  'workflow list': async () => (await import('./run.ts')).workflowList,
  'repo view': async () => (await import('./repo.ts')).repoView,
  'auth status': async () => (await import('./repo.ts')).authStatus,
  'auth token': async () => (await import('./repo.ts')).authToken,
}
/** Commands of one word. */
const SINGLE = new Set(['api', 'help', 'version'])

export const ghCommand = defineCommand({
  name: 'gh',
  inside: IN_A_SESSION,
  about: 'Answers in place of gh in projects whose pull requests are kept by ao',
  run: async () => 0,
  runRaw: async (argv, io) => {
    try {
      // By home, for a session in a place: what gh has printed goes through its filter here, where no secret is.
      if (argv[0] === '--format') return await (await import('./gh-json.ts')).formatLines(io)
      return await answer(argv, io)
    } catch (error) {
      if (!(error instanceof GhHelpError)) return explain(error, io)
      printHelp(splitGhCommand(argv).command, io)
      return 0
    }
  },
})

async function answer(argv: readonly string[], io: Io): Promise<number> {
  const { command: given, rest } = splitGhCommand(argv)
  const command = given.replace(/ new$/, ' create').replace(/ ls$/, ' list')
  if (command === '--version' || command === 'version') {
    io.print('gh version 2.40.0 (answered by ao: this project keeps its pull requests on this machine)')
    return 0
  }
  const load = Object.hasOwn(ANSWERS, command) ? ANSWERS[command] : undefined
  const [group = '', word = '--help'] = command.split(' ')
  if (!load && (isHelp(group) || (isGroup(group) && isHelp(word)))) {
    printHelp(group, io)
    return 0
  }
  if (load) return (await load())(rest, io)
  // Printed only where it is true: elsewhere this command was not meant to be used.
  await openGh(io, { repo: undefined })
  throw new GhError(
    `gh ${command} is not available here: this project has no server, ao keeps its issues and pull requests.\nAvailable: ${available('')}`,
  )
}

function isHelp(word: string): boolean {
  return ['', 'help', '--help', '-h'].includes(word)
}

function isGroup(word: string): boolean {
  return Object.keys(ANSWERS).some((name) => name.startsWith(`${word} `))
}

/** gh accepts `-R repo` before its command too; the command checks it. */
function splitGhCommand(argv: readonly string[]): { command: string; rest: string[] } {
  const left = [...argv]
  const positionals: string[] = []
  const repo: string[] = []
  while (left.length > 0 && positionals.length < 2) {
    const word = left.shift()!
    if (word === '-R' || word === '--repo') repo.push(word, ...left.splice(0, 1))
    else if (word.startsWith('--repo=')) repo.push(word)
    else positionals.push(word)
    if (positionals[0]?.startsWith('-') || SINGLE.has(positionals[0] ?? '')) break
  }
  return { command: positionals.join(' '), rest: [...repo, ...left] }
}

function explain(error: unknown, io: Io): number {
  if (error instanceof GhError) {
    if (error.message !== '') io.note(error.message)
    return error.exitCode
  }
  if (isIssueNotFoundError(error)) {
    io.note(`GraphQL: Could not resolve to an issue or pull request. (${errorText(error)})`)
    return 1
  }
  if (error instanceof AoError) {
    io.note(error.message)
    if (error.hint) io.note(error.hint)
    return 1
  }
  io.note(errorText(error))
  return 1
}

function printHelp(about: string, io: Io): void {
  io.print('Issues and pull requests of this project are kept by ao on this machine; these commands of gh work:')
  io.print(`  ${available(about === 'help' ? '' : about)}`)
  io.print(
    'Flags, output and exit codes are those of gh. Commands that are not supported are refused, with the reason.',
  )
}

/** '' or an unknown one: all of them. */
function available(about: string): string {
  const names = Object.keys(ANSWERS)
  const some = names.filter((name) => name === about || name.startsWith(`${about} `))
  return (some.length > 0 ? some : names).map((name) => `gh ${name}`).join(', ')
}
