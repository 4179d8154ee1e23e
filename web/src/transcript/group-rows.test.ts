import { describe, expect, it } from 'vitest'
import type { ToolMessage, TranscriptMessage } from '../../../src/contract/agh/transcript.ts'
import { describeTools, findRows, groupRows, headOf } from './group-rows.ts'

let count = 0
const message = (role: string, more: object = {}) =>
  ({ id: `m${++count}`, role, text: '', kind: 'read', status: 'completed', output: '', ...more }) as TranscriptMessage
const show = (messages: TranscriptMessage[]) =>
  groupRows(messages).map((row) => (row.kind === 'one' ? row.message.role : `tools ${row.messages.length}`))

describe('the rows of a transcript', () => {
  it('fold three and more tool calls that follow each other, and leave out plans and usage', () => {
    const tool = () => message('tool')
    expect(
      show([
        message('user'),
        tool(),
        tool(),
        message('usage'),
        tool(),
        message('assistant'),
        tool(),
        tool(),
        message('plan'),
      ]),
    ).toEqual(['user', 'tools 3', 'assistant', 'tool', 'tool'])
  })

  it('keep their name while they grow', () => {
    const tools = [message('tool'), message('tool'), message('tool')]
    const more = [...tools, message('tool')]
    expect(groupRows(more)[0]!.id).toBe(groupRows(tools)[0]!.id)
  })

  it('are described by what was done', () => {
    const tools = [{}, {}, { kind: 'search' }, { kind: 'search' }, { kind: 'execute', status: 'failed' }]
    expect(describeTools(tools.map((more) => message('tool', more) as ToolMessage))).toBe(
      '2 reads, 2 searches, 1 execute, 1 failed',
    )
  })

  it('are found by words, also in what a tool printed', () => {
    const rows = groupRows([message('user', { text: 'Fix the Login' }), message('tool', { output: 'login failed' })])
    expect(findRows(rows, 'login')).toEqual([0, 1])
    expect(findRows(rows, 'LOGIN fix')).toEqual([0])
    expect(findRows(rows, '  ')).toEqual([])
  })

  it('have the newest plan and usage above them', () => {
    const [old, plan, usage] = [message('plan'), message('plan'), message('usage')]
    expect(headOf([old, usage, plan])).toEqual({ plan, usage })
    expect(headOf([])).toEqual({ plan: null, usage: null })
  })
})
