// What happens to a session in a job of Slurm when something fails, and what is said about it: the table in docs/places.md.
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { type AoWorld, buildAo } from '../support/run-ao.ts'
import { waitFor } from '../support/wait-for.ts'
import { killWith } from './kill-with.ts'
import { hostWords, type Listed, ready, session, startSession, why, worldWithPlaces } from './session-there.ts'
import { startCluster, type TestCluster, whyNoSlurm } from './slurm-cluster.ts'

const noSlurm = whyNoSlurm()
const endings: Array<() => Promise<unknown>> = []

describe.skipIf(noSlurm !== null)(`in a job${noSlurm ? ` (${noSlurm})` : ''}`, () => {
  let cluster: TestCluster
  beforeAll(async () => {
    buildAo()
    cluster = await startCluster()
  }, 120_000)
  afterAll(() => cluster.stop(), 30_000)
  afterEach(async () => {
    cluster.run('scancel', '--user=root', '--quiet')
    for (const end of endings.splice(0).reverse()) await end()
    await waitFor('an empty queue', () => cluster.jobs().length === 0, 30_000)
  }, 60_000)

  const wanted = (options: string) => ({
    places: `{ there: { type: slurm, partition: dev, ${options} } }`,
    env: { SLURM_CONF: cluster.conf },
    onEnd: (end: () => Promise<unknown>) => void endings.push(end),
  })
  const inJob = (options = "time: '1:00:00'") => startSession(wanted(options))
  const jobId = () => cluster.jobs()[0]!.split(' ')[0]!
  const ended = (ao: AoWorld) => waitFor('the end', async () => (await session(ao)).activity === 'exited', 90_000)

  const leftThere = () => readdirSync('/tmp').filter((name) => name.startsWith('ao-job-'))

  it('lives there, its work comes home, and nothing is left', async () => {
    const before = leftThere()
    const ao = await inJob()
    const sent = await ao.ao(['send', 'app-1', 'One more thing'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    expect(await why(ao)).toMatch(/it runs in there \(slurm \d+@aotest.*connected/)
    const job = cluster.run('scontrol', 'write', 'batch_script', jobId(), '-')
    expect(job).not.toMatch(/TOKEN|KEY|SECRET/i)
    const killed = await ao.ao(['session', 'kill', 'app-1'])
    expect(killed.code, killed.stderr).toBe(0)
    expect(cluster.jobs()).toEqual([])
    expect(leftThere()).toEqual(before)
  })

  it('the line at home is killed: the next command opens another, and a message arrives once', async () => {
    const ao = await inJob()
    killWith('place-line', ao.temp.home)
    const sent = await ao.ao(['send', 'app-1', 'After the loss'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
    await ready(ao)
    expect((await ao.ao(['session', 'show', 'app-1'])).stdout).toContain('After the loss')
  })

  it('the connection is cut for 60 seconds: unknown meanwhile, then everything continues', async () => {
    const patient = await startCluster({ nodeTimeoutS: 600 })
    endings.push(() => patient.stop())
    const ao = await startSession({ ...wanted("time: '1:00:00'"), env: { SLURM_CONF: patient.conf } })
    patient.cut()
    try {
      await waitFor('the loss', async () => /not connected/.test(await why(ao)), 60_000)
      expect((await session(ao)).status).not.toMatch(/killed|errored|done/)
      const refused = await ao.ao(['send', 'app-1', 'Into the void'])
      expect(refused.stdout).not.toContain('seen by')
      await pause(60_000)
      expect((await session(ao)).activity).not.toBe('exited')
    } finally {
      patient.mend()
    }
    await waitFor('the line', async () => /, connected since/.test(await why(ao)), 90_000)
    const sent = await ao.ao(['send', 'app-1', 'Back again'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  }, 300_000)

  it('the host there is killed: the session ends, its work is home, and it can be restored', async () => {
    const ao = await inJob()
    killWith(hostWords(ao))
    await ended(ao)
    expect(await why(ao)).toMatch(/home has its work as of/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
  })

  it('somebody cancels the job: that is what is said, and restore starts another', async () => {
    const ao = await inJob()
    cluster.run('scancel', jobId())
    await ended(ao)
    expect(await why(ao)).toMatch(/job \d+ was cancelled|Slurm is ending the job/)
    const restored = await ao.ao(['session', 'restore', 'app-1'])
    expect(restored.code, restored.stderr).toBe(0)
    await ready(ao)
    expect(readdirSync(join(ao.temp.home, '.worktrees', 'app', 'app-1', 'demo'))).toEqual(['app-1.md'])
  })

  it('the time limit is reached', async () => {
    const ao = await inJob("time: '0:01:00'")
    await ended(ao)
    expect(await why(ao)).toMatch(/reached its time limit of 00:01:00/)
  }, 200_000)

  it('a job of higher priority takes its place', async () => {
    const ao = await inJob("cpus: 8, sbatch: ['--nodelist=n1']")
    cluster.run('sbatch', '--partition=urgent', '--cpus-per-task=8', '--output=/dev/null', '--wrap', 'sleep 60')
    await ended(ao)
    expect(await why(ao)).toMatch(/was preempted/)
  })

  it('the node is lost: unknown while Slurm does not know either, then the reason', async () => {
    const ao = await inJob("sbatch: ['--nodelist=n2']")
    cluster.loseNode('n2')
    await waitFor('the loss', async () => /not connected/.test(await why(ao)), 60_000)
    await ended(ao)
    expect(await why(ao)).toMatch(/the node n2 failed/)
    cluster.reviveNode('n2')
    await waitFor('the node', () => !/down|\*/.test(cluster.run('sinfo', '-h', '-n', 'n2', '-o', '%T')), 30_000)
  }, 200_000)

  it('Slurm suspends the job: unknown, with the reason, and everything continues afterwards', async () => {
    const ao = await inJob()
    const id = jobId()
    cluster.run('scontrol', 'suspend', id)
    await waitFor('the loss', async () => /Slurm has suspended/.test(await why(ao)), 60_000)
    expect((await session(ao)).activity).not.toBe('exited')
    cluster.run('scontrol', 'resume', id)
    await waitFor('the line', async () => /, connected since/.test(await why(ao)), 60_000)
    const sent = await ao.ao(['send', 'app-1', 'Back again'])
    expect(sent.stdout, sent.stderr).toContain('seen by app-1')
  }, 200_000)

  it('what cannot start is one clear error each, and leaves nothing there', async () => {
    const world = await worldWithPlaces({
      ...wanted(''),
      places: `
  full: { type: slurm, partition: dev, cpus: 8, sbatch: ['--nodelist=n1'], queueSeconds: 4 }
  closed: { type: slurm, partition: closed }
  odd: { type: slurm, partition: nosuch }
  big: { type: slurm, partition: dev, cpus: 99 }
  devices: { type: slurm, partition: dev, gres: 'gpu:1' }`,
    })
    const refusal = async (place: string) => (await world.ao(['spawn', '--prompt', 'x', '--place', place])).stderr
    cluster.run('sbatch', '--nodelist=n1', '--cpus-per-task=8', '--output=/dev/null', '--wrap', 'sleep 60')
    expect(await refusal('full')).toMatch(
      /waits in Slurm's queue: what it asks for is in use \(Resources\)[\s\S]*still waits/,
    )
    expect(await refusal('closed')).toMatch(/will not start the job \d+: the partition is closed/)
    expect(await refusal('odd')).toMatch(/invalid partition/i)
    expect(await refusal('big')).toMatch(/will not start the job \d+: it asks for more than the partition has/)
    expect(await refusal('devices')).toMatch(/generic resource/)
    expect((await world.ao(['place', 'test', 'odd'])).stderr).toMatch(/has no partition nosuch/)
    expect((await world.ao(['place', 'test', 'full'])).stdout).toMatch(/Slurm cluster aotest: dev/)
    expect((await world.json<Listed>(['status'])).sessions).toEqual([])
    expect(cluster.jobs().filter((line) => line.includes('ao-'))).toEqual([])
    const gone = await world.ao(['place', 'test', 'full'], { env: { SLURM_CONF: '/nonexistent' }, timeoutMs: 45_000 })
    expect(gone.stderr).toMatch(/know no cluster here|cannot be reached/)
  })
})
