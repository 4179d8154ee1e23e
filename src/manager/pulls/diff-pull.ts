// What a pull request changes, in git's own format, on whichever forge: from its merge base to its head.
import type { Pull } from '../../contract/pull.ts'
import { diffFormat } from '../../git/diff/diff-request.ts'
import { gitOn, openRepository } from '../../git/repository.ts'
import { verified } from '../../git/vault/verified.ts'
import { type PullTarget, requireAbility } from '../../landing/read-pull.ts'

export async function diffPull(
  target: PullTarget & { pull: Pull },
  env: NodeJS.ProcessEnv,
  format: readonly string[],
): Promise<{ diff: string; head: string }> {
  const { project, pull } = target
  const { from, to } = await requireAbility(target, 'readRange')(pull, project)
  const repository = await verified(openRepository(project.path, env), [from, to])
  const diff = await gitOn(repository, ['diff', ...diffFormat(), ...format, from, to, '--'], { read: true })
  return { diff, head: to }
}
