import { describe, expect, it } from 'vitest'
import { explainWaiting, type Job, readJob, stateOf } from './job-states.ts'

/** As slurm-wlm 22.05 prints it. */
const LINE =
  'JobId=2 JobName=ao-x.1-2.abc UserId=root(0) GroupId=root(0) MCS_label=N/A Priority=429 Nice=0 Account=(null) QOS=(null) JobState=RUNNING Reason=None Dependency=(null) Requeue=1 ExitCode=0:0 RunTime=00:00:00 TimeLimit=1-00:00:00 TimeMin=N/A Partition=dev NodeList=n1 BatchHost=n1 Command=(null) WorkDir=/tmp JobState=FAILED'

const job = (changes: Partial<Job>): Job => ({ ...readJob(LINE)!, ...changes })

describe('a job of Slurm', () => {
  it('is read from a line of scontrol; a later field cannot pass for an earlier one', () => {
    expect(readJob(LINE)).toEqual({
      ...{ id: '2', name: 'ao-x.1-2.abc', state: 'RUNNING', reason: 'None' },
      ...{ timeLimit: '1-00:00:00', node: 'n1', exitCode: 0 },
    })
    expect(readJob('slurm_load_jobs error: Invalid job id specified')).toBeNull()
  })

  it.each<[Partial<Job>, string | undefined, RegExp | null]>([
    [{}, 'up', null],
    [{ state: 'CONFIGURING' }, 'up', null],
    [{ state: 'SUSPENDED' }, 'unknown', /has suspended the job 2/],
    [{ state: 'TIMEOUT' }, 'gone', /reached its time limit of 1-00:00:00/],
    [{ state: 'PREEMPTED' }, 'gone', /was preempted/],
    [{ state: 'NODE_FAIL' }, 'gone', /the node n1 failed/],
    [{ state: 'OUT_OF_MEMORY' }, 'gone', /more memory than it had asked for/],
    [{ state: 'CANCELLED' }, 'gone', /was cancelled by user 7$/],
    [{ state: 'FAILED', exitCode: 71 }, 'gone', /could not make its directory on n1/],
    [{ state: 'FAILED', exitCode: 3 }, 'gone', /failed on n1 with exit code 3/],
    [{ state: 'COMPLETED' }, 'gone', /has ended \(completed\)/],
  ])('%o is %s', (changes, state, why) => {
    const result = stateOf(job(changes), 'user 7')
    expect(result.state).toBe(state)
    if (why) expect((result as { why: string }).why).toMatch(why)
  })

  it('that is being ended still exists, and it is known why', () => {
    expect(stateOf(job({ state: 'COMPLETING', reason: 'TimeLimit' }))).toEqual({
      state: 'up',
      ending: 'the job 2 reached its time limit of 1-00:00:00',
    })
  })

  it.each([
    ['Resources', true, /what it asks for is in use \(Resources\)/],
    ['Priority', true, /higher priority/],
    ['QOSMaxJobsPerUserLimit', true, /as much as you may/],
    ['ReqNodeNotAvail,_UnavailableNodes:n2', true, /down or reserved \(ReqNodeNotAvail\)/],
    ['JobHeldAdmin', false, /it is held/],
    ['PartitionTimeLimit', false, /more time than is allowed/],
    ['PartitionDown', false, /partition is closed/],
    ['AssocMaxCpuPerJob', false, /more than a single job may have/],
    ['SomethingNew', true, /does not say why \(SomethingNew\)/],
  ])('waits because of %s', (reason, passes, why) => {
    expect(explainWaiting(reason)).toEqual({ why: expect.stringMatching(why), passes })
  })
})
