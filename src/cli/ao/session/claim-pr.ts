// `ao session claim-pr`: a session takes over an existing pull request.
import { AoError } from '../../../contract/errors.ts'
import type { PullRef } from '../../../contract/pull.ts'
import { rights } from '../../../core/boundary/rights.ts'
import { defineCommand, JSON_OPTION } from '../../command.ts'
import { openAo } from '../open-ao.ts'

export const sessionClaimPrCommand = defineCommand({
  name: 'session claim-pr',
  inside: rights('own', 'no', 'no'),
  meansOwnSession: true,
  about: 'Take over an existing pull request',
  details: 'Its workspace goes to the branch of the pull request.',
  args: {
    pr: { about: 'Number, #number or URL', required: true },
    session: { about: 'Session id (default: AO_SESSION)', completes: 'session' },
  },
  options: {
    takeover: { about: 'Even if another session has it' },
    json: JSON_OPTION,
  },
  json: '{ sessionId, projectId, pr: { url, number?, branch?, … }, branchChanged, takenOverFrom: [id] }',
  async run({ args, options }, io) {
    const sessionId = args.session ?? io.env.AO_SESSION
    if (!sessionId) {
      throw new AoError('USAGE', 'Which session?', { hint: `ao session claim-pr ${args.pr} <session>` })
    }
    const { manager } = await openAo(io)
    const claim = await manager.claimPR(sessionId, args.pr, { takeover: options.takeover })
    // An agent that claims for itself knows.
    const receipt =
      claim.branchChanged && io.env.AO_SESSION !== sessionId
        ? await manager.deliver(sessionId, movedMessage(claim.pr), { source: 'claim-pr' })
        : null
    if (options.json) return void io.json(claim)
    io.print(`${io.style.bold(claim.sessionId)} has ${claim.pr.url}`)
    if (claim.pr.branch) io.print(`  branch: ${claim.pr.branch}${claim.branchChanged ? '' : ' (it was there already)'}`)
    if (claim.takenOverFrom.length > 0) io.print(`  taken over from: ${claim.takenOverFrom.join(', ')}`)
    if (receipt) io.print(`  its agent was informed: ${receipt.level.replace('_', ' ')}`)
  },
})

/** The files below it have changed. */
function movedMessage({ url, branch }: PullRef): string {
  return `Your workspace was moved to ${branch === undefined ? 'the branch' : `branch ${branch}`} of the pull request ${url}, which is yours from now on. Look at its files and its review before you continue; your former branch stays as it was.`
}
