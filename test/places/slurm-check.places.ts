// What `ao place test` says of a place whose every job Slurm would refuse.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { errorText } from '../../src/contract/errors.ts'
import { type SlurmOptions, slurmEngine } from '../../src/plugins/runtime-slurm/slurm-engine.ts'
import { startCluster, type TestCluster, whyNoSlurm } from './slurm-cluster.ts'

describe.skipIf(whyNoSlurm() !== null)('a place test of Slurm', () => {
  let cluster: TestCluster
  let partition: string
  beforeAll(async () => {
    cluster = await startCluster()
    partition = cluster.run('sinfo', '--noheader', '--format=%R').trim().split('\n')[0]!
  })
  afterAll(() => cluster.stop())

  function check(options: Partial<SlurmOptions> = {}): Promise<string> {
    const env = { ...process.env, SLURM_CONF: cluster.conf }
    const engine = slurmEngine({ directory: '/tmp', queueSeconds: 5, partition, ...options }, env, '/tmp')
    return engine.check().catch(errorText)
  }

  it('tells what no job would get', async () => {
    expect(await check()).toMatch(/^Slurm cluster /)
    expect(await check({ cpus: 999 })).toMatch(/^Slurm refused: .*(?:node configuration|CPU count)/i)
    expect(await check({ gres: 'gpu:4' })).toMatch(/^Slurm refused: .*(?:gres|generic resource)/i)
    cluster.run('scontrol', 'update', `partitionname=${partition}`, 'maxtime=10')
    expect(await check({ time: '8:00:00' })).toMatch(/allows jobs of at most 10:00, and the place asks for 8:00:00$/)
    cluster.run('scontrol', 'update', `partitionname=${partition}`, 'state=down')
    expect(await check()).toMatch(/starts no jobs now: it is /)
    cluster.run('scontrol', 'update', `partitionname=${partition}`, 'state=up')
    expect(await check({ time: '5' })).toMatch(/^Slurm cluster /)
    expect(cluster.jobs()).toEqual([])
  })
})
