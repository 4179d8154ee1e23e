// `ao pr merge`: merges a pull request into its base branch, on whichever forge.
import { AoError } from '../../../contract/errors.ts'
import type { Pull } from '../../../contract/pull.ts'
import { ENDS } from '../../../mcp/command-tool.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { openPull, PULL_ARGUMENT } from './find-pull.ts'
import { openMerging } from './open-forge.ts'

const METHODS = ['squash', 'merge', 'rebase'] as const

export const prMergeCommand = defineCommand({
  name: 'pr merge',
  about: 'Merge a pull request into its base branch',
  details:
    'The base branch moves in one step, or not at all. A checkout of it follows and must be clean. Without a method: as scm.merge says, squash by default. With landing: { mode: train } it boards the train.',
  args: { pr: PULL_ARGUMENT },
  options: {
    squash: { short: 's', about: 'One commit with all changes' },
    merge: { short: 'm', about: 'A merge commit' },
    rebase: { short: 'r', about: 'Rebase the commits onto the base branch' },
    sha: { value: 'commit', about: 'Only if its head is this commit' },
    'skip-train': { about: 'Merge now, past the train: untested as it lands, and recorded' },
    force: { about: 'Even if checks failed or have not run, or changes are requested' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ number, commit, method, warnings: [text], boarded }',
  tool: {
    name: 'merge_pull_request',
    title: 'Merge a pull request',
    description:
      'Merge a pull request, or put it aboard the train. Refused when checks failed or have not run, or changes are requested.',
    hints: ENDS,
    input: {
      pr: {},
      method: { choices: { squash: 'squash', merge: 'merge', rebase: 'rebase' } },
      sha: {},
      project: {},
    },
    output: { number: 'number', commit: 'text?', boarded: 'flag' },
  },
  async run({ args, options }, io) {
    const methods = METHODS.filter((one) => options[one])
    if (methods.length > 1) throw new AoError('USAGE', 'Say one of --squash, --merge and --rebase')
    const opened = await openPull(io, args.pr, options.project)
    const { scm, project, pr, pull } = opened
    const { mergePull } = await import('../../../landing/merge.ts')
    const how = { method: methods[0], force: options.force, pastTrain: options['skip-train'], head: options.sha }
    const outcome = await mergePull(await openMerging(io, opened), { scm, project, pr, pull, ...how })
    const { number, baseBranch } = outcome.pull.pr
    if (outcome.boarded) return void printBoarded(io, outcome.pull, options.json)
    const { commit, method = null, warnings } = outcome
    for (const warning of warnings) io.note(`${io.noteStyle.yellow('warning:')} ${warning}`)
    if (options.json) return void io.json({ number, commit, method, warnings, boarded: false })
    const as = commit === null ? '' : ` as ${commit.slice(0, 10)}`
    const way = method === null ? '' : ` (${method})`
    io.print(`merged ${io.style.bold(`#${number}`)} into ${baseBranch}${as}${way}`)
  },
})

function printBoarded(io: Io, { pr, headSha }: Pull, asJson: boolean): void {
  const { number } = pr
  if (asJson) return void io.json({ number, commit: null, method: null, warnings: [], boarded: true })
  io.print(`#${number} is aboard the train with ${headSha.slice(0, 10)}; ao land ls shows how far it is`)
  io.note(`To merge it at once, untested with the pull requests ahead of it: ao pr merge ${number} --skip-train`)
}
