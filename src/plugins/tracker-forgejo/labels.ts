// Forgejo takes labels by number; a name that the repository does not know becomes a new label.
import type { ForgejoClient } from '../forgejo-api/forgejo-client.ts'

interface Label {
  id: number
  name: string
}

const COLOUR = '#70c24a'

export async function labelIds(client: ForgejoClient, apiPath: string, names: readonly string[]): Promise<number[]> {
  if (names.length === 0) return []
  const existing = await client.list<Label>(`${apiPath}/labels`)
  const ids: number[] = []
  for (const name of names) {
    const label = existing.find((one) => one.name === name) ?? (await createLabel(client, apiPath, name))
    ids.push(label.id)
  }
  return ids
}

async function createLabel(client: ForgejoClient, apiPath: string, name: string): Promise<Label> {
  const body = { name, color: COLOUR }
  return (await client.call<Label>(`${apiPath}/labels`, { method: 'POST', body })).data
}
