// Rides of a train on a forge of the tests, with real git behind it.
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import type { ProjectConfig } from '../../src/contract/config.ts'
import { openRepository } from '../../src/git/repository.ts'
import { canHostTrain, type HostedOptions } from '../../src/landing/hosted/hosted-train.ts'
import { createHostedMemory, rideHosted } from '../../src/landing/hosted/ride-hosted.ts'
import { openTrainFile } from '../../src/landing/train/train-file.ts'
import { systemClock } from '../../src/lib/clock.ts'
import type { HostedWorld } from '../forges/git-remote.ts'
import { git } from '../support/git-repo.ts'

export interface Ride {
  world: HostedWorld
  lines: string[]
  project: ProjectConfig
  projectDir: string
  ride(more?: Partial<HostedOptions>): Promise<string>
  /** `on`: on top of the branch of that file. */
  open(file: string, content?: string, on?: string): Promise<number>
  train(): ReturnType<ReturnType<typeof openTrainFile>['read']>
  /** Branches of the train on the forge. */
  branches(): string[]
  treeOf(ref: string): string
  stateOf(pull: number): Promise<string>
}

export async function createRide(
  world: HostedWorld,
  method: 'merge' | 'squash',
  { gates, ...landing }: Partial<ProjectConfig['landing']> & Pick<ProjectConfig, 'gates'> = {},
): Promise<Ride> {
  const { scm, remote, env } = world
  if (!canHostTrain(scm)) throw new Error('no train there')
  const project: ProjectConfig = {
    ...world.project,
    path: remote.clone,
    landing: { mode: 'train', batch: 4, order: 'safe', ...landing },
    gates,
  }
  const projectDir = join(env.HOME!, 'data')
  mkdirSync(projectDir)
  const open: number[] = []
  const lines: string[] = []
  let memory = createHostedMemory()
  const query = async (number: number) => {
    return { sessionId: `app-${number}`, branch: null, pr: await scm.resolvePR(String(number), project) }
  }
  const cached = new Map<number, Awaited<ReturnType<typeof query>>>()
  return {
    world,
    lines,
    project,
    projectDir,
    async ride(more = {}) {
      for (const number of open) if (!cached.has(number)) cached.set(number, await query(number))
      const options: HostedOptions = {
        project,
        projectDir,
        scm,
        remote: { repository: openRepository(remote.clone, env), name: 'origin' },
        rule: { batch: 4, order: 'safe', priority: ['urgent'] },
        method,
        candidates: () => [...cached.values()],
        readPulls: (queries) => scm.readPullRequests(queries, project),
        collide: () => false,
        clock: systemClock,
        signal: new AbortController().signal,
        say: (line) => lines.push(line),
        ...more,
      }
      // Every ride is a new process: what one remembers can be found out again.
      memory = createHostedMemory()
      const outcome = await rideHosted(options, memory)
      return outcome.kind === 'blocked' ? outcome.why : outcome.kind
    },
    async open(file, content = `${file}\n`, on = undefined) {
      await world.push(`feat/${file}`, file, content, on && `feat/${on}`)
      const pr = await world.openPR({ branch: `feat/${file}`, title: `Add ${file}` })
      if (on) await scm.retargetPR?.(pr, `feat/${on}`, project)
      const { number } = pr
      await world.check(`feat/${file}`, 'unit', 'passed')
      await world.review(number, { state: 'approved' })
      open.push(number)
      return number
    },
    train: () => openTrainFile({ projectDir, clock: systemClock }).read(),
    branches: () =>
      git(remote.bare, env, 'for-each-ref', '--format=%(refname:lstrip=4)', 'refs/heads/ao/train')
        .split('\n')
        .filter(Boolean),
    stateOf: async (pull) => scm.getPRState(await scm.resolvePR(String(pull), project), project),
    treeOf: (ref) => git(remote.bare, env, 'rev-parse', `${ref}^{tree}`),
  }
}
