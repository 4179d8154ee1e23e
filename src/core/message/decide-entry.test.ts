import { describe, expect, it } from 'vitest'
import {
  decideEntry,
  type EntryFacts,
  isHeldByQuestion,
  isHeldByScreen,
  isPlainAnswer,
  withoutTyped,
} from './decide-entry.ts'

const FREE: EntryFacts = {
  screen: { takes: 'text' },
  activity: 'ready',
  asksInWords: false,
  isEnding: false,
  recordsAreScreen: false,
  answer: null,
}
const DIALOG: EntryFacts['screen'] = { takes: 'keys', dialog: { title: 'May I?', choices: [] } }
const LINE: EntryFacts['screen'] = { takes: 'keys', dialog: { title: 'Go on? [y/N]', choices: [], takesLine: true } }
const titled = (title: string): EntryFacts['screen'] => ({ takes: 'keys', dialog: { title, choices: [] } })
const LONG = titled(`${'x'.repeat(200)}?`)
const FITS = titled(`${'x'.repeat(199)}?`)
const UNKNOWN = { takes: 'unknown' } as const
const QUESTION = { takes: 'keys', dialog: null } as const

describe('a message is typed', () => {
  it.each<[string, Partial<EntryFacts>]>([
    ['at an input line', {}],
    ['at an input line while the agent works', { activity: 'active' }],
    ['at an input line when the records say nothing', { activity: null }],
    ['anywhere but into a menu when a person says that it is the answer', { answer: 'declared', screen: UNKNOWN }],
    ['when the agent asks in words', { activity: 'waiting_input', asksInWords: true }],
    ['when the records are an older look at the screen', { activity: 'waiting_input', recordsAreScreen: true }],
    ['when a person says that it is the answer', { activity: 'waiting_input', answer: 'declared', screen: QUESTION }],
    ['when a person answers with a bare yes', { answer: 'plain', screen: QUESTION }],
    ['when a person answers a question that takes a line', { screen: LINE, answer: 'plain' }],
  ])('%s', (_when, facts) => {
    expect(decideEntry({ ...FREE, ...facts })).toEqual({ may: true })
  })
})

describe('a message is held', () => {
  it.each<[string, Partial<EntryFacts>, string]>([
    ['by a dialog, whatever the records say', { screen: DIALOG }, 'it waits for an answer: May I?'],
    ['by a dialog, also when a person says that it is the answer', { screen: DIALOG, answer: 'declared' }, 'May I?'],
    ['by a question that takes a line', { screen: LINE }, 'Go on? [y/N]'],
    ['by a question whose options are not known', { screen: QUESTION }, 'it waits for an answer'],
    ['by records, before the screen shows it', { activity: 'waiting_input' }, 'its records say'],
    ['while its turn is just ending', { activity: 'active', isEnding: true }, 'just ending'],
    ['by a screen without an input line', { screen: UNKNOWN }, 'no input line that ao recognizes'],
    ['by such a screen while the agent works', { screen: UNKNOWN, activity: 'active' }, 'no input line'],
    ['by such a screen when the records say nothing', { screen: UNKNOWN, activity: null }, 'no input line'],
    ['by such a screen, also as a bare yes', { screen: UNKNOWN, answer: 'plain' }, 'no input line'],
    ['by a dialog with a long title, of which the end counts', { screen: LONG }, `answer: …${'x'.repeat(199)}?`],
    ['by a dialog whose title just fits', { screen: FITS }, `answer: ${'x'.repeat(199)}?`],
    ['by a view, which is named', { screen: { takes: 'unknown', shows: 'its palette' } }, 'shows its palette instead'],
  ])('%s', (_when, facts, why) => {
    const entry = decideEntry({ ...FREE, ...facts })
    expect(entry).toEqual({ may: false, why: expect.stringContaining(why) })
    // Whoever reads it is told to look there, not to answer.
    expect(!entry.may && isHeldByScreen(entry.why)).toBe(facts.screen?.takes === 'unknown')
    const isAsked = facts.screen?.takes === 'keys' || facts.activity === 'waiting_input'
    expect(!entry.may && isHeldByQuestion(entry.why)).toBe(isAsked)
  })
})

it.each([
  ['y', 'user', true],
  [' Yes\n', 'user', true],
  ['no', 'user', true],
  ['y', 'ci-failed', false],
  ['yes, do it', 'user', false],
  ['Your pull request conflicts', 'user', false],
])('%j from %s answers by itself: %s', (text, source, expected) => {
  expect(isPlainAnswer(text, source)).toBe(expected)
})

describe('a screen without what was typed there', () => {
  it.each([
    ['keeps the mark and the frame of the input line', '│ > Go on? [y/N] │', 'Go on? [y/N]', '│ >  │'],
    ['loses a text that was broken into lines', '> Go on\n  with it?', 'Go on with it?', '> \n  '],
    ['keeps what others wrote', 'Delete it? [y/N]\n> yes', 'yes', 'Delete it? [y/N]\n> '],
    ['keeps its empty lines', '\n> \n', 'x', '\n> \n'],
  ])('%s', (_what, screen, text, expected) => {
    expect(withoutTyped(screen, text)).toBe(expected)
  })
})
