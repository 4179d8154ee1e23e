// Cars over the pull requests of this forge: what they are made of, and which of them are still needed.
import { gitOn } from '../../git/repository.ts'
import type { Resolver } from '../../landing/resolve/resolver.ts'
import { type CarSource, carRef } from '../../landing/train/build-cars.ts'
import type { Solutions } from '../../landing/train/solutions.ts'
import type { TrainFile } from '../../landing/train/train-file.ts'
import { LOCK_WAIT_MS } from '../merge/base-checkout.ts'
import type { LocalForge } from '../types.ts'

export function carSource(
  forge: LocalForge,
  { solutions, resolver }: { solutions: Solutions; resolver: Resolver | null },
): CarSource {
  return {
    projectId: forge.project.id,
    repository: forge.repository,
    pullOf: (number) => forge.pulls.read(number),
    solutions,
    resolver,
    mayBuildOn: true,
  }
}

/** Cars that nobody needs: their pull request is closed, or it left for a reason other than the car. */
export async function sweepCars(forge: LocalForge, file: Pick<TrainFile, 'read'>): Promise<void> {
  const repository = forge.repository()
  const prefix = carRef(forge.project.id, 0).slice(0, -1)
  const listed = await gitOn(repository, ['for-each-ref', '--format=%(refname)', prefix], { read: true })
  const { riders, left } = file.read()
  const wanted = new Set([...riders, ...left.filter(({ why }) => why === 'red')].map(({ pull }) => pull))
  const refs = listed.split('\n').filter((ref) => {
    const pull = Number(ref.slice(prefix.length))
    return ref !== '' && !(wanted.has(pull) && forge.pulls.read(pull)?.state === 'open')
  })
  if (refs.length === 0) return
  const input = refs.map((ref) => `delete ${ref}\n`).join('')
  // Git locks the packed refs of the whole repository for it: a lock that was left there is for a person.
  await gitOn(repository, ['update-ref', '--stdin'], { input, lockWaitMs: LOCK_WAIT_MS })
}
