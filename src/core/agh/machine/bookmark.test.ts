import { describe, expect, it } from 'vitest'
import { newTurn } from '../session/turn.ts'
import { NO_ABILITIES } from '../transcript/read-abilities.ts'
import { type BookmarkAgent, bookmarkNow, readBookmarkAgent, readBookmarkNow, recallState } from './bookmark.ts'
import { NEW_SESSION, type Phase, type SessionState } from './session-state.ts'

const AT = { spawn_id: 'spawn-1', place: 42, prompt_id: 7 }
const turn = { ...newTurn('turn-1', 'user', 5), openTools: new Map([['c1', 'npm test']]) }
const agent: BookmarkAgent = {
  abilities: { ...NO_ABILITIES, agentName: 'Copilot' },
  offers: NEW_SESSION.offers,
  grants: [{ requestId: 'perm-1', scope: 'session', covers: 'write_file', subjects: null }],
  preface: [{ kind: 'recap', text: 'so far' }],
  garbage_lines: 3,
  next_permission: 4,
  next_terminal: 5,
  terminals: ['9:9:9'],
}
const stateIn = (phase: Phase): SessionState => ({
  ...NEW_SESSION,
  phase,
  usage: { used: 1 },
  counted: { inputTokens: 2 },
})
const overDisk = <T>(value: T) => JSON.stringify(value)

describe('the next daemon recalls a session', () => {
  it.each<[string, Phase]>([
    ['that is idle', { name: 'idle' }],
    ['in the middle of a turn, with its tools', { name: 'working', turn }],
    ['whose turn is being cancelled', { name: 'cancelling', turn: { ...turn, cancel: { at: 9, why: 'user' } } }],
  ])('%s', (_which, phase) => {
    const now = readBookmarkNow(overDisk(bookmarkNow(stateIn(phase), AT)))!
    expect(now).toMatchObject({ ...AT, phase: phase.name })
    expect(recallState(now, readBookmarkAgent(overDisk(agent))!)).toEqual({
      ...stateIn(phase),
      ...{ abilities: agent.abilities, grants: agent.grants, preface: agent.preface, garbageLines: 3 },
    })
  })

  it('of which an older daemon counted nothing', () => {
    const { counted: _, ...older } = bookmarkNow(stateIn({ name: 'idle' }), AT)
    expect(recallState(older, agent).counted).toBeNull()
  })
})

describe('a session cannot be continued', () => {
  const working = JSON.parse(overDisk(bookmarkNow(stateIn({ name: 'working', turn }), AT)))
  it.each<[string, string]>([
    ['from nothing', ''],
    ['from half a file', overDisk(working).slice(0, 20)],
    ['from a list', '[]'],
    ['from null', 'null'],
    ['in a newer form', overDisk({ ...working, version: 2 })],
    ['without the start that it belongs to', overDisk({ ...working, spawn_id: null })],
    ['without its place in the output', overDisk({ ...working, place: '42' })],
    ['at half a byte', overDisk({ ...working, place: 0.5 })],
    ['while it starts', overDisk({ ...working, phase: 'starting', turn: null })],
    ['while it stops', overDisk({ ...working, phase: 'stopping' })],
    ['working without a turn', overDisk({ ...working, turn: null })],
    ['cancelling without a turn', overDisk({ ...working, phase: 'cancelling', turn: null })],
    ['working at a turn without its tools', overDisk({ ...working, turn: { ...working.turn, openTools: {} } })],
    ['idle with a turn', overDisk({ ...working, phase: 'idle' })],
  ])('%s', (_from, json) => expect(readBookmarkNow(json)).toBeNull())

  it.each(Object.keys(agent))('without the %s of its agent, or with something else there', (key) => {
    expect(readBookmarkAgent(overDisk({ ...agent, [key]: undefined }))).toBeNull()
    expect(readBookmarkAgent(overDisk({ ...agent, [key]: 'x' }))).toBeNull()
  })
})
