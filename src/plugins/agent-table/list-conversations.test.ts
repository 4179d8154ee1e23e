// Conversations that somebody held before ao came, as the real programs wrote them down, and files that only look like some.
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { listConversations } from './list-conversations.ts'
import { piRecords } from './pi-records.ts'
import { qwenRecords } from './qwen-records.ts'

const telemetry = (name: string) =>
  readFileSync(join(import.meta.dirname, '../../../test/fixtures/telemetry', name), 'utf8')
const ID = '6dbed829-0c27-4df2-99c2-9b2744284421'

describe.each([
  {
    ...{ name: 'Qwen Code', format: qwenRecords, text: telemetry('qwen/chat.jsonl'), file: `${ID}.jsonl` },
    ...{ held: '/home/user/repos/qwen', alike: '/home/user/repos-qwen', title: 'LAB:WRITE' },
  },
  {
    ...{
      name: 'pi',
      format: piRecords,
      text: telemetry('pi/session.jsonl'),
      file: `2026-11-15T01-17-25-107Z_${ID}.jsonl`,
    },
    ...{ held: '/home/user/repos/pi', alike: '/home/user/repos-pi', title: 'LAB:HELLO' },
  },
])('conversations of $name', ({ format, text, file, held, alike, title }) => {
  let home: string
  let store: string
  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'held-'))
    store = format.directories(home, held, null)[0]!
    mkdirSync(store, { recursive: true })
  })
  afterEach(() => rmSync(home, { recursive: true }))

  it('are listed by their id and first words, for the directory in which they were held', async () => {
    writeFileSync(join(store, file), text)
    expect(await listConversations(format, home, [held])).toMatchObject([
      { id: ID, directory: held, title: expect.stringContaining(title) },
    ])
    // Its files are in the same one.
    expect(format.directories(home, alike, null)[0]).toBe(store)
    expect(await listConversations(format, home, [alike])).toEqual([])
  })

  it('are not what a link, an empty, a foreign or a huge file claims', async () => {
    writeFileSync(join(home, 'elsewhere'), text)
    symlinkSync(join(home, 'elsewhere'), join(store, file))
    writeFileSync(join(store, `x_${ID}.jsonl`), '')
    writeFileSync(join(store, '--resume.jsonl'), text)
    writeFileSync(join(store, `y_11111111-0000-4000-8000-000000000001.jsonl`), text.replaceAll(held, '/etc'))
    writeFileSync(join(store, 'z_2.jsonl'), `{"type":"session","cwd":"${'x'.repeat(1 << 20)}`)
    expect(await listConversations(format, home, [held])).toEqual([])
  })
})
