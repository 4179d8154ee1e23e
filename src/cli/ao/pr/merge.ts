// `ao pr merge`: merges a pull request of the local forge into its base branch.
import { AoError } from '../../../contract/errors.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../io.ts'
import { noteSession } from './note-session.ts'
import { openForge } from './open-forge.ts'
import { PULL_ARGUMENT } from './view.ts'

const METHODS = ['squash', 'merge', 'rebase'] as const

export const prMergeCommand = defineCommand({
  name: 'pr merge',
  about: 'Merge a pull request into its base branch',
  details:
    'The base branch moves in one step, or not at all. A checkout of it follows and must be clean.\nWithout a method: as scm.merge says, squash by default. With landing: { mode: train } it boards the train.',
  args: { pr: PULL_ARGUMENT },
  options: {
    squash: { short: 's', about: 'One commit with all changes' },
    merge: { short: 'm', about: 'A merge commit' },
    rebase: { short: 'r', about: 'Rebase the commits onto the base branch' },
    sha: { value: 'commit', about: 'Only if its head is this commit' },
    'skip-train': { about: 'Merge now, past the train; untested as it lands, and recorded as such' },
    force: { about: 'Merge even if checks failed or have not run, or changes are requested' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ number, commit, method, warnings: [text], boarded }',
  async run({ args, options }, io) {
    const methods = METHODS.filter((one) => options[one])
    if (methods.length > 1) throw new AoError('USAGE', 'Say one of --squash, --merge and --rebase')
    const { forge, config, project } = await openForge(io, options.project)
    const [{ requirePull }, { mergeOrBoard }] = await Promise.all([
      import('../../../forge/pulls/find-pull.ts'),
      import('../../../landing/train/merge-or-board.ts'),
    ])
    const pull = requirePull(forge, args.pr)
    const pastTrain = options['skip-train']
    const how = { expected: options.sha, method: methods[0], force: options.force, pastTrain }
    const outcome = await mergeOrBoard(forge, pull.number, how)
    if (outcome.kind === 'boarded') return void printBoarded(io, pull.number, outcome.headSha, options.json)
    const { commit, method, warnings } = outcome
    if (pull.session !== null) {
      const { url, session: sessionId } = pull
      await noteSession(io, config, { projectId: project.id, sessionId, url, status: 'merged' })
    }
    for (const warning of warnings) io.note(`${io.noteStyle.yellow('warning:')} ${warning}`)
    if (options.json) return void io.json({ number: pull.number, commit, method, warnings, boarded: false })
    io.print(`merged ${io.style.bold(`#${pull.number}`)} into ${pull.base} as ${commit.slice(0, 10)} (${method})`)
  },
})

function printBoarded(io: Io, number: number, headSha: string, asJson: boolean): void {
  if (asJson) return void io.json({ number, commit: null, method: null, warnings: [], boarded: true })
  io.print(`#${number} is aboard the train with ${headSha.slice(0, 10)}; ao land ls shows how far it is`)
  io.note(`To merge it at once, untested with what is ahead of it: ao pr merge ${number} --skip-train`)
}
