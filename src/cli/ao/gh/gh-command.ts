// `ao gh …` answers in gh's place where the pull requests are ao's own: gh's arguments, gh's output, gh's exit codes.
// An agent that knows gh needs to know nothing else. Hidden: people have `ao pr` and `ao issue`.
import { AoError, errorText } from '../../../contract/errors.ts'
import { isIssueNotFoundError } from '../../../slots/tracker.ts'
import { defineCommand } from '../../command.ts'
import type { Io } from '../../io.ts'
import { GhError } from './gh-error.ts'
import { openGh } from './open-gh.ts'

type Answer = (argv: readonly string[], io: Io) => Promise<number>

const ANSWERS: Record<string, () => Promise<Answer>> = {
  'pr create': async () => (await import('./pr/pr-create.ts')).prCreate,
  'pr new': async () => (await import('./pr/pr-create.ts')).prCreate,
  'pr view': async () => (await import('./pr/pr-view.ts')).prView,
  'pr list': async () => (await import('./pr/pr-list.ts')).prList,
  'pr ls': async () => (await import('./pr/pr-list.ts')).prList,
  'pr status': async () => (await import('./pr/pr-list.ts')).prStatus,
  'pr checks': async () => (await import('./pr/pr-checks.ts')).prChecks,
  'pr diff': async () => (await import('./pr/pr-view.ts')).prDiff,
  'pr comment': async () => (await import('./pr/pr-change.ts')).prComment,
  'pr review': async () => (await import('./pr/pr-change.ts')).prReview,
  'pr edit': async () => (await import('./pr/pr-change.ts')).prEdit,
  'pr ready': async () => (await import('./pr/pr-change.ts')).prReady,
  'pr close': async () => (await import('./pr/pr-change.ts')).prClose,
  'pr reopen': async () => (await import('./pr/pr-change.ts')).prReopen,
  'pr merge': async () => (await import('./pr/pr-merge.ts')).prMerge,
  'issue view': async () => (await import('./issue/issue.ts')).issueView,
  'issue list': async () => (await import('./issue/issue.ts')).issueList,
  'issue ls': async () => (await import('./issue/issue.ts')).issueList,
  'issue create': async () => (await import('./issue/issue.ts')).issueCreate,
  'issue new': async () => (await import('./issue/issue.ts')).issueCreate,
  'issue comment': async () => (await import('./issue/issue.ts')).issueComment,
  'issue close': async () => (await import('./issue/issue.ts')).issueClose,
  'issue reopen': async () => (await import('./issue/issue.ts')).issueReopen,
  'run list': async () => (await import('./run/run.ts')).runList,
  'run ls': async () => (await import('./run/run.ts')).runList,
  'run view': async () => (await import('./run/run.ts')).runView,
  'run watch': async () => (await import('./run/run.ts')).runWatch,
  'repo view': async () => (await import('./repo.ts')).repoView,
  'auth status': async () => (await import('./repo.ts')).authStatus,
}

export const ghCommand = defineCommand({
  name: 'gh',
  about: 'Answers in place of gh in projects whose pull requests are kept by ao',
  args: {},
  options: {},
  run: async () => 0,
  runRaw: async (argv, io) => {
    try {
      return await answer(argv, io)
    } catch (error) {
      return explain(error, io)
    }
  },
})

async function answer(argv: readonly string[], io: Io): Promise<number> {
  const { command, rest } = splitCommand(argv)
  if (command === '--version' || command === 'version') {
    io.print('gh version 2.0.0 (answered by ao: this project keeps its pull requests on this machine)')
    return 0
  }
  const load = Object.hasOwn(ANSWERS, command) ? ANSWERS[command] : undefined
  if (load && !rest.some((word) => word === '--help' || word === '-h')) return (await load())(rest, io)
  if (load || command === '' || command === '--help') {
    printHelp(io)
    return 0
  }
  // Said only where it is true: elsewhere this command was not meant to be asked.
  await openGh(io)
  throw new GhError(
    `gh ${command} is not available here: this project has no server, ao keeps its issues and pull requests.\nAvailable: ${available()}`,
  )
}

/** gh takes `-R repo` before and after its command. There is only one repository here. */
function splitCommand(argv: readonly string[]): { command: string; rest: string[] } {
  const left = [...argv]
  const words: string[] = []
  while (left.length > 0 && words.length < 2) {
    const word = left.shift()!
    if (word === '-R' || word === '--repo') left.shift()
    else if (word.startsWith('--repo=')) continue
    else words.push(word)
    if (words[0]?.startsWith('-') || words[0] === 'version') break
  }
  return { command: words.join(' '), rest: left }
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

function printHelp(io: Io): void {
  io.print('Issues and pull requests of this project are kept by ao on this machine; the usual commands of gh work:')
  io.print(`  ${available()}`)
}

function available(): string {
  return Object.keys(ANSWERS)
    .filter((name) => !/ (new|ls)$/.test(name))
    .map((name) => `gh ${name}`)
    .join(', ')
}
