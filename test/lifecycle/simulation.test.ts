// 1,000 lives of a session with the real decisions on a virtual clock. A failing seed is printed and can be run alone.
import { describe, expect, it } from 'vitest'
import { createRandom, type Effect, simulate, type Trace } from './simulate.ts'

const SEEDS = 1_000
const traces = Array.from({ length: SEEDS }, (_, seed) => ({ seed, trace: simulate(seed) }))

/** Where it goes wrong, as `seed: what`. */
function failures(check: (trace: Trace) => string[]): string[] {
  return traces.flatMap(({ seed, trace }) => check(trace).map((what) => `${seed}: ${what}`)).slice(0, 10)
}

const nameOf = ({ kind, key, fingerprint, epoch }: Effect) => `${kind} ${key} ${fingerprint} (${epoch})`

describe('1,000 lives of a session', () => {
  it('no status contradicts its facts', () => {
    expect(failures((trace) => trace.contradictions)).toEqual([])
  })

  it('no message is said twice while its reason lasts', () => {
    // What was certainly over and came back is another reason: CI of one commit that passed and then fails again.
    const doubled = failures((trace) => {
      const seen = new Set<string>()
      return trace.effects
        .filter(({ kind }) => kind === 'agent')
        .flatMap((effect) => {
          const name = nameOf(effect)
          if (seen.has(name)) return [name]
          seen.add(name)
          return []
        })
    })
    expect(doubled).toEqual([])
  })

  it('no reaction is lost: in the end everything that calls for one was told, done or escalated', () => {
    const lost = failures((trace) =>
      trace.last.flatMap(({ key, fingerprint, rule }) => {
        if (!rule.auto && rule.action === 'notify') return []
        const record = trace.memory[key]
        const settled = record?.fingerprint === fingerprint && record.state === 'done'
        return settled ? [] : [`${key} ${fingerprint} ${JSON.stringify(record)}`]
      }),
    )
    expect(lost).toEqual([])
  })

  it('what the memory calls done has really happened', () => {
    const invented = failures((trace) =>
      Object.entries(trace.memory).flatMap(([key, record]) => {
        if (record?.state !== 'done') return []
        const told = trace.effects.some((one) => one.key === key && (one.fingerprint === record.told || one.escalation))
        return told ? [] : [`${key} ${JSON.stringify(record)}`]
      }),
    )
    expect(invented).toEqual([])
  })

  it('a human is told of an escalation exactly when it is remembered', () => {
    const wrong = failures((trace) =>
      Object.entries(trace.memory).flatMap(([key, record]) => {
        if (!record?.escalated) return []
        return trace.effects.some((one) => one.key === key && one.escalation) ? [] : [key]
      }),
    )
    expect(wrong).toEqual([])
  })

  it('merges a commit once, and only one that was ready', () => {
    const twice = failures((trace) => {
      const merges = trace.effects.filter(({ kind }) => kind === 'merge').map(({ fingerprint }) => fingerprint)
      return new Set(merges).size === merges.length ? [] : merges
    })
    expect(twice).toEqual([])
  })

  it('lives are lives: every reaction and many statuses occur', () => {
    const keys = new Set(traces.flatMap(({ trace }) => trace.effects.map(({ key }) => key)))
    expect([...keys].sort()).toEqual(
      [
        'agent-exited',
        'agent-idle',
        'agent-needs-input',
        'agent-stuck',
        'approved-and-green',
        'bugbot-comments',
        'changes-requested',
        'ci-failed',
        'merge-conflicts',
        'pr-closed',
      ].sort(),
    )
    expect(traces.flatMap(({ trace }) => trace.effects).length).toBeGreaterThan(5_000)
  })

  it('a seed is the same life every time', () => {
    expect(simulate(7)).toEqual(simulate(7))
    expect(createRandom(1).below(1_000_000)).not.toBe(createRandom(2).below(1_000_000))
  })
})
