// Conversations that somebody held in these directories with an agent of the table. Its files say where: other directories can share a
// name, and anybody can put a file there.
import { idField } from '../../core/text/json-fields.ts'
import { readHead } from '../../lib/read-jsonl.ts'
import type { FoundConversation } from '../../slots/agent.ts'
import { ownFiles, pathAndTarget } from '../agent-files/list-directory.ts'
import { promptTitle } from '../agent-files/prompt-title.ts'
import type { RecordFormat } from './record-format.ts'

const LISTED = 20
/** Instructions and settings come before the first prompt. */
const HEAD_BYTES = 256 * 1024

export async function listConversations(
  format: RecordFormat,
  dataDir: string,
  directories: readonly string[],
): Promise<FoundConversation[]> {
  const { cut, enteredText } = format
  const found = directories.map(async (directory) => {
    const stores = format.directories(dataDir, directory, null)
    const files = (await Promise.all(stores.map((store) => ownFiles(store, /\.jsonl$/, LISTED)))).flat()
    const held = files.map(async ({ path, name, at }): Promise<FoundConversation[]> => {
      const id = idField({ id: cut?.idOf(name) }, 'id')
      const records = (await readHead(path, HEAD_BYTES))?.records ?? []
      const where = records.flatMap((record) => cut?.directory(record) ?? [])[0]
      const prompt = records.flatMap((record) => enteredText(record) ?? [])[0]
      if (id === null || prompt === undefined || !pathAndTarget(directory).includes(where ?? '')) return []
      return [{ id, directory, at, title: promptTitle(prompt) || null }]
    })
    return (await Promise.all(held)).flat()
  })
  return (await Promise.all(found)).flat()
}
