import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import type { KeyPress } from '../../../core/board/board-state.ts'
import { readKeyboard } from './keyboard.ts'

/** What each chunk that a terminal sends comes to; `!`: others came with it. */
async function pressed(...chunks: string[]): Promise<string[]> {
  const stdin = Object.assign(new PassThrough(), { setRawMode: () => undefined }) as unknown as NodeJS.ReadStream
  const keys: string[] = []
  const release = readKeyboard({ stdin }, (press: KeyPress | null) => {
    if (press?.kind === 'paste') keys.push(`paste ${press.text}`)
    else if (press) keys.push(`${press.text || press.name}${press.inBurst ? '!' : ''}`)
  })
  for (const chunk of chunks) {
    ;(stdin as unknown as PassThrough).write(chunk)
    await sleep(10)
  }
  release()
  return keys
}

it.each([
  [['y'], ['y']],
  [['yn'], ['y!', 'n!']],
  [['\u001b[200~rm\u001b[201~'], ['paste rm']],
  [
    ['\u001b[200~rm', 'y', '\u001b[201~', 'y'],
    ['paste rmy', 'y'],
  ],
  // Copied from a page that ends the paste itself.
  [['\u001b[200~rm\u001b[201~y'], ['paste rm', 'y!']],
  [
    ['\u001b[200~rm\u001b[201~y', 'n'],
    ['paste rm', 'y!', 'n'],
  ],
])('%j is %j', async (chunks, keys) => {
  expect(await pressed(...chunks)).toEqual(keys)
})
