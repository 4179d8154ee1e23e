import { describe, expect, it } from 'vitest'
import { decideLine } from './decide-line.ts'
import { judgeLine } from './judge-line.ts'
import { type Line, type LineAct, type LineEvent, type LineMemory, type LinePhase, newLine } from './line-state.ts'

const READING = { activity: { state: 'active' }, info: null }
const MEMORY: LineMemory = {
  ...{ connected: true, since: 100, why: '', orphaned: false, read: 5, reading: null, mirror: null },
}
const exit = { type: 'exit' as const, n: 6, exitCode: 0, signal: null, screen: 'bye', why: undefined }
const { type: _, ...END } = exit
const follow: LineAct = { act: 'follow', after: 5 }
const regularly: LineAct = { act: 'timer', timer: 'save-regularly', ms: 30_000 }
const again: LineAct = { act: 'timer', timer: 'save-again', ms: 3_000 }
const retry = (ms: number): LineAct => ({ act: 'timer', timer: 'retry', ms })
const saving = (save: number): LineAct => ({ act: 'save', save })
const probed = (place: Extract<LineEvent, { type: 'probed' }>['place']): LineEvent => ({ type: 'probed', place })
const failed: Partial<Line> = { end: { ...END, exitCode: 1 } }

interface Row {
  from?: Partial<Line>
  memory?: Partial<LineMemory>
  line?: Partial<Line>
  keep?: Partial<LineMemory> | null
  acts?: LineAct[]
}

describe('a line', () => {
  it.each<[string, LinePhase, LineEvent, LinePhase, Row]>([
    ['begins by connecting', 'new', { type: 'started' }, 'connecting', { acts: [{ act: 'connect' }] }],
    [
      'follows once it is connected, from where it was',
      'connecting',
      { type: 'connected', agent: 'running' },
      'following',
      {
        ...{ from: { failures: 3 }, line: { failures: 0, isWorking: false }, acts: [follow, regularly] },
        keep: { connected: true, since: 900, silentSince: null, why: '', orphaned: false, trouble: null },
      },
    ],
    [
      'knows that its agent is at work',
      'connecting',
      { type: 'connected', agent: 'orphaned' },
      'following',
      { memory: { reading: READING }, line: { isWorking: true }, keep: { orphaned: true }, acts: [follow, regularly] },
    ],
    [
      'doubts an agent that has ended',
      'connecting',
      { type: 'connected', agent: 'ended' },
      'following',
      { keep: { trouble: 'the agent has ended, and its work is not home yet' }, acts: [follow, regularly] },
    ],
    [
      'asks the engine when nobody answers',
      'connecting',
      { type: 'not-connected', why: 'refused', hasNoHost: true },
      'probing',
      { line: { hasNoHost: true }, keep: { connected: false, why: 'refused', since: 900 }, acts: [{ act: 'probe' }] },
    ],
    [
      'was lost when it was lost first',
      'connecting',
      { type: 'not-connected', why: 'x', hasNoHost: false },
      'probing',
      { memory: { connected: false }, keep: { since: 100 }, acts: [{ act: 'probe' }] },
    ],
    [
      'waits for a place that nobody knows of',
      'probing',
      probed({ state: 'unknown', why: 'no engine' }),
      'waiting',
      {
        from: { hasNoHost: true },
        line: { failures: 1, hasNoHost: false },
        keep: { why: 'no engine' },
        acts: [retry(500)],
      },
    ],
    [
      'waits for a place that nobody explains',
      'probing',
      probed({ state: 'unknown' }),
      'waiting',
      { keep: { why: '' }, acts: [retry(500)] },
    ],
    ['waits for a place that is up', 'probing', probed({ state: 'up' }), 'waiting', { keep: null, acts: [retry(500)] }],
    [
      'starts a host where there is none',
      'probing',
      probed({ state: 'up' }),
      'starting-host',
      { from: { hasNoHost: true }, acts: [{ act: 'start-host' }] },
    ],
    [
      'records the end of a place that is gone',
      'probing',
      probed({ state: 'gone', why: 'deleted' }),
      'recording',
      { acts: [{ act: 'record-end', end: { n: null, exitCode: null, signal: null, screen: '', why: 'deleted' } }] },
    ],
    [
      'connects to the host that it started',
      'starting-host',
      { type: 'host-started', why: null },
      'waiting',
      { keep: null, acts: [retry(500)] },
    ],
    [
      'says why it could not start one',
      'starting-host',
      { type: 'host-started', why: 'no space' },
      'waiting',
      { keep: { why: 'no space' }, acts: [retry(500)] },
    ],
    ['tries again', 'waiting', { type: 'timer', timer: 'retry' }, 'connecting', { acts: [{ act: 'connect' }] }],
    ['does not try again while it follows', 'following', { type: 'timer', timer: 'retry' }, 'following', {}],
    [
      'notes an answer without carrying anything out',
      'following',
      { type: 'fact', fact: { type: 'prompt', n: 6 } as never },
      'following',
      { keep: { read: 6 } },
    ],
    [
      'saves the work of an agent that ended',
      'following',
      { type: 'fact', fact: exit },
      'ending',
      { line: { saves: 1, end: END }, acts: [saving(1)] },
    ],
    [
      'records an end once the work is home',
      'ending',
      { type: 'saved', save: 1, why: null },
      'recording',
      {
        from: { saves: 1, end: END },
        line: { saved: 1 },
        acts: [{ act: 'record-end', end: { ...END, why: undefined } }],
      },
    ],
    [
      'asks the engine why an agent failed',
      'ending',
      { type: 'saved', save: 1, why: null },
      'recording',
      { from: { saves: 1, ...failed }, acts: [{ act: 'probe' }] },
    ],
    [
      'does not ask about what it knows',
      'ending',
      { type: 'saved', save: 1, why: null },
      'recording',
      {
        from: { saves: 1, end: { ...failed.end!, why: 'killed' } },
        acts: [{ act: 'record-end', end: { ...failed.end!, why: 'killed' } }],
      },
    ],
    [
      'waits for the last save',
      'ending',
      { type: 'saved', save: 1, why: null },
      'ending',
      { from: { saves: 2, end: END }, line: { saved: 1 } },
    ],
    [
      'reads an end again whose work did not come home',
      'ending',
      { type: 'saved', save: 1, why: 'cut' },
      'waiting',
      {
        from: { saves: 1, end: END },
        line: { end: null },
        keep: { connected: false, since: 900, silentSince: null, why: 'cut' },
        acts: [{ act: 'close' }, retry(200)],
      },
    ],
    [
      'records what the engine says of an end',
      'recording',
      probed({ state: 'up', ending: 'out of memory' }),
      'recording',
      { from: failed, acts: [{ act: 'record-end', end: { ...failed.end!, why: 'out of memory' } }] },
    ],
    [
      'records what the engine says of a place',
      'recording',
      probed({ state: 'gone', why: 'time limit' }),
      'recording',
      { from: failed, acts: [{ act: 'record-end', end: { ...failed.end!, why: 'time limit' } }] },
    ],
    [
      'records that the engine does not know',
      'recording',
      probed({ state: 'unknown', why: 'x', ending: 'y' }),
      'recording',
      { from: failed, acts: [{ act: 'record-end', end: { ...failed.end!, why: undefined } }] },
    ],
    [
      'leaves when its end is recorded',
      'recording',
      { type: 'end-recorded' },
      'over',
      { from: failed, keep: { read: 6 }, acts: [{ act: 'leave' }] },
    ],
    [
      'leaves when the end of its place is recorded',
      'recording',
      { type: 'end-recorded' },
      'over',
      { from: { end: { ...END, n: null } }, keep: null, acts: [{ act: 'leave' }] },
    ],
    [
      'is lost',
      'following',
      { type: 'lost', why: 'reset' },
      'waiting',
      {
        from: { failures: 2, isWorking: true },
        line: { failures: 0, isWorking: false },
        keep: { connected: false, since: 900, why: 'reset' },
        acts: [{ act: 'close' }, retry(200)],
      },
    ],
    [
      'is lost while the work comes home',
      'ending',
      { type: 'lost', why: 'reset' },
      'waiting',
      { from: failed, line: { end: null }, keep: { connected: false }, acts: [{ act: 'close' }, retry(200)] },
    ],
    ['needs nothing more once the work is home', 'recording', { type: 'lost', why: 'reset' }, 'recording', {}],
    ['hears silence', 'ending', { type: 'silence', since: 7 }, 'ending', { keep: { silentSince: 7 } }],
    ['hears no silence of a place that it does not follow', 'waiting', { type: 'silence', since: 7 }, 'waiting', {}],
    [
      'hears that its agent works',
      'following',
      { type: 'reading', reading: READING },
      'following',
      { line: { isWorking: true }, keep: { reading: READING } },
    ],
    [
      'saves at the end of a turn',
      'following',
      { type: 'reading', reading: { ...READING, activity: null } },
      'following',
      {
        from: { isWorking: true },
        memory: { reading: READING },
        line: { isWorking: false },
        keep: { reading: { ...READING, activity: null } },
        acts: [saving(1)],
      },
    ],
    [
      'saves nothing between turns',
      'following',
      { type: 'reading', reading: { ...READING, activity: null } },
      'following',
      { keep: {} },
    ],
    [
      'saves nothing in a turn',
      'following',
      { type: 'reading', reading: READING },
      'following',
      { memory: { reading: READING }, line: { isWorking: true }, keep: {} },
    ],
    ['hears of trouble', 'following', { type: 'trouble', why: 'disk' }, 'following', { keep: { trouble: 'disk' } }],
    ['saves a commit', 'following', { type: 'head' }, 'following', { line: { saves: 1 }, acts: [saving(1)] }],
    [
      'hears an agent speak',
      'following',
      { type: 'output', endsTurn: false },
      'following',
      { line: { isWorking: true, saves: 0 } },
    ],
    [
      'saves when an agent has spoken',
      'following',
      { type: 'output', endsTurn: true },
      'following',
      { from: { isWorking: true }, line: { isWorking: false }, acts: [saving(1)] },
    ],
    [
      'saves behind one save',
      'following',
      { type: 'head' },
      'following',
      { from: { saves: 4, saved: 3 }, line: { saves: 5 }, acts: [saving(5)] },
    ],
    [
      'saves once behind another',
      'following',
      { type: 'head' },
      'following',
      { from: { saves: 5, saved: 3 }, line: { saves: 5 } },
    ],
    [
      'saves again what did not come home',
      'following',
      { type: 'saved', save: 1, why: 'cut' },
      'following',
      { from: { saves: 1 }, line: { saved: 1 }, keep: { mirror: 'cut' }, acts: [again] },
    ],
    [
      'is content with what came home',
      'following',
      { type: 'saved', save: 1, why: null },
      'following',
      { from: { saves: 1 }, line: { saved: 1 } },
    ],
    [
      'saves nothing again while it waits',
      'waiting',
      { type: 'saved', save: 1, why: 'cut' },
      'waiting',
      { from: { saves: 1 } },
    ],
    [
      'saves again after a while',
      'following',
      { type: 'timer', timer: 'save-again' },
      'following',
      { acts: [saving(1)] },
    ],
    [
      'saves regularly while its agent works',
      'following',
      { type: 'timer', timer: 'save-regularly' },
      'following',
      { from: { isWorking: true }, acts: [regularly, saving(1)] },
    ],
    [
      'only looks regularly while it rests',
      'following',
      { type: 'timer', timer: 'save-regularly' },
      'following',
      { acts: [regularly] },
    ],
    ['saves nothing while it waits', 'waiting', { type: 'timer', timer: 'save-regularly' }, 'waiting', {}],
    ['hears nothing that comes late', 'waiting', { type: 'head' }, 'waiting', {}],
  ])('%s', (_what, phase, event, next, row) => {
    const from = { ...newLine(), phase, ...row.from }
    const step = decideLine(from, { ...MEMORY, ...row.memory }, event, 900)
    expect(step.line).toMatchObject({ phase: next, ...row.line })
    expect(step.acts).toEqual(row.acts ?? [])
    if (row.keep) expect(step.keep).toMatchObject(row.keep)
    else expect(step.keep).toBeNull()
  })

  it('is new with nothing done', () => {
    expect(newLine()).toEqual({
      phase: 'new',
      failures: 0,
      hasNoHost: false,
      isWorking: false,
      end: null,
      saves: 0,
      saved: 0,
    })
  })
})

it.each([
  ['paused', { hasSpec: false, isPaused: true }, 'dead', /^it is paused in box/],
  ['given back', { hasSpec: false }, 'dead', /given back/],
  ['ended with a code', { exit: { code: 3, signal: null } }, 'dead', /ended: exit code 3$/],
  ['ended by a signal', { exit: { code: null, signal: 'SIGKILL' } }, 'dead', /ended: SIGKILL$/],
  ['ended for a reason', { exit: { code: 1, signal: 'X', why: 'time limit' } }, 'dead', /ended: time limit$/],
  ['lost', { memory: { ...MEMORY, connected: false, why: 'refused' } }, 'unknown', /box cannot be reached: refused$/],
  ['silent', { memory: { ...MEMORY, silentSince: 1, why: 'older' } }, 'unknown', /box cannot be reached: no answer$/],
  ['without its host', { memory: { ...MEMORY, orphaned: true } }, 'unknown', /host was killed/],
  ['in trouble', { memory: { ...MEMORY, trouble: 'disk' } }, 'unknown', /^disk$/],
  ['without a line', { memory: null }, 'unknown', /the line to box is not running/],
])('a session in a place is %s, and why is said', (_what, facts, state, why) => {
  const given = { place: 'box', hasSpec: true, exit: null, isRunning: true, memory: MEMORY, ...facts }
  expect(judgeLine(given, 50_000)).toMatchObject({ state, why: expect.stringMatching(why) })
})
