// `ao verify`: what is proven about landed commits.
import { AoError } from '../../../contract/errors.ts'
import type { Verified } from '../../../landing/proof/landed-commits.ts'
import type { Verifier } from '../../../landing/proof/open-verifier.ts'
import { defineCommand, JSON_OPTION, PROJECT_OPTION } from '../../command.ts'
import type { Io } from '../../print/io.ts'
import { toOneLine } from '../../print/plain-text.ts'
import { createProgress } from '../../print/progress.ts'
import { openTrain } from './open-train.ts'

export const verifyCommand = defineCommand({
  name: 'verify',
  about: 'Re-check the proofs attached to landed commits: signature, tree, checks, approval',
  details:
    'The claims of its note (git notes --ref=ao/proof) are compared with the commit, the logs and the pull request. The exit code is 1 unless everything is proven.',
  args: { commits: { about: 'A commit or a range, such as main~5..main', required: true } },
  options: {
    rerun: { about: 'Also run the checks again here (for hosted forges, the gates)' },
    project: PROJECT_OPTION,
    json: JSON_OPTION,
  },
  json: '{ commits: [{ commit, subject, proof, findings: [{ what, proven, why }] }] }',
  async run({ args, options }, io) {
    const { repository, verify } = await openFor(io, options)
    const { commitsOf } = await import('../../../landing/proof/landed-commits.ts')
    const progress = createProgress(io)
    const verified: Verified[] = []
    try {
      for (const commit of await commitsOf({ repository }, args.commits)) {
        progress.step(`verifying ${commit.slice(0, 10)}`)
        verified.push(await verify(commit))
      }
    } finally {
      progress.end()
    }
    if (options.json) io.json({ commits: verified })
    else for (const one of verified) printOne(one, io)
    return verified.every(({ findings }) => findings.every(({ proven }) => proven)) ? 0 : 1
  },
})

async function openFor(
  io: Io,
  { project: projectId, rerun }: { project: string | undefined; rerun: boolean },
): Promise<Verifier> {
  const { where, config, project, projectDir, file } = await openTrain(io, projectId)
  if (rerun && where.kind === 'hosted') {
    if ((project.gates ?? []).length === 0) {
      throw new AoError(
        'USAGE',
        `Project ${project.id} has no gates that could run again; its checks are those of the forge`,
        {
          hint: 'Without --rerun the forge is asked whether they passed',
        },
      )
    }
    const { requireTrust } = await import('../../../config/trust/trust.ts')
    requireTrust(config, { home: io.home, env: io.env, projectId: project.id, kinds: ['ci'] })
  }
  const { openVerifier } = await import('../../../landing/proof/open-verifier.ts')
  return openVerifier({ where, project, projectDir, env: io.env, directory: file.directory, rerun })
}

function printOne({ commit, subject, proof, findings }: Verified, io: Io): void {
  const { style } = io
  io.print(`${style.bold(commit.slice(0, 10))} ${toOneLine(subject)}`)
  for (const { what, proven, why } of findings)
    io.print(`  ${proven ? style.green('✓') : style.red('✗')} ${toOneLine(`${what}: ${why}`)}`)
  const by = proof?.session ? `written by ${[proof.session, proof.agent, proof.model].filter(Boolean).join(', ')}` : ''
  const cost = typeof proof?.costUsd === 'number' ? `cost $${proof.costUsd.toFixed(2)}` : ''
  const origin = [by, cost, proof?.issue ? `issue ${proof.issue}` : ''].filter(Boolean).join('; ')
  const changed = proof?.changedChecks ?? []
  if (changed.length > 0) io.print(style.yellow(`    ${toOneLine(`it changed its own checks: ${changed.join(', ')}`)}`))
  if (origin !== '') io.print(style.dim(`    ${toOneLine(origin)}`))
}
