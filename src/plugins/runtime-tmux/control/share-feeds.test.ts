import { expect, it } from 'vitest'
import type { RuntimeHandle } from '../../../contract/session.ts'
import type { Liveness } from '../../../slots/runtime.ts'
import { shareProbe, shareWatch } from './share-feeds.ts'

const handle = (id: string): RuntimeHandle => ({ id, runtimeName: 'tmux' })
const alive: Liveness = { state: 'alive' }

it('many terminals have one watch, and each hears of its own session alone', () => {
  const opened: string[] = []
  let followed: string[] = []
  let report: (names: string[]) => void = () => undefined
  const follow = shareWatch((onChange) => {
    opened.push('open')
    report = onChange
    return { follow: (handles) => (followed = handles.map(({ id }) => id)), close: () => void opened.push('close') }
  })
  const ended: string[] = []
  const names = ['one', 'two', 'three']
  const leave = names.map((name) => follow(handle(name), () => ended.push(name)))
  expect([opened, followed]).toEqual([['open'], names])
  report(['two'])
  expect(ended).toEqual(['two'])
  leave[0]!()
  leave[0]!()
  expect(followed).toEqual(['two', 'three'])
  report(['one', 'three'])
  expect(ended).toEqual(['two', 'three'])
  leave[1]!()
  leave[2]!()
  expect(opened).toEqual(['open', 'close'])
  follow(handle('four'), () => undefined)
  expect(opened).toEqual(['open', 'close', 'open'])
})

it('whoever asks while tmux is answering shares the next question, and no answer is older than its question', async () => {
  const questions: string[][] = []
  const answers: Array<() => void> = []
  const probe = shareProbe(async (handles) => {
    questions.push(handles.map(({ id }) => id))
    await new Promise<void>((resolve) => answers.push(resolve))
    return new Map(handles.map(({ id }) => [id, alive]))
  })
  const names = Array.from({ length: 20 }, (_, index) => `s${index}`)
  const first = Promise.all(names.map((name) => probe(handle(name))))
  await Promise.resolve()
  expect(questions).toEqual([names])
  const second = Promise.all(names.map((name) => probe(handle(name))))
  answers.shift()!()
  expect(await first).toEqual(names.map(() => alive))
  answers.shift()!()
  expect(await second).toEqual(names.map(() => alive))
  expect(questions).toEqual([names, names])
})

it('another launch of the same name, and a question after one that failed, get answers of their own', async () => {
  const questions: RuntimeHandle[][] = []
  const probe = shareProbe(async (handles) => {
    questions.push(handles)
    if (questions.length === 1) throw new Error('no answer')
    return new Map(handles.map(({ id }) => [id, alive]))
  })
  await expect(probe(handle('one'))).rejects.toThrow('no answer')
  const [before, after] = [handle('one'), handle('one')]
  expect(await Promise.all([probe(before), probe(after)])).toEqual([alive, alive])
  expect(
    questions
      .slice(1)
      .map((handles) => handles.map((one) => [before, after].indexOf(one)))
      .sort(),
  ).toEqual([[0], [1]])
})
