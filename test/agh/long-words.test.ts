import { expect, it } from 'vitest'
import { callDaemon } from '../../src/agh/client.ts'

it('names a word that is too long for any request, instead of a connection that was reset', async () => {
  const id = 'a'.repeat(100_000)
  await expect(callDaemon('/nowhere.sock', 'GET /api/sessions/:id', { params: { id } })).rejects.toMatchObject({
    code: 'USAGE',
    message: 'The id has 100000 characters; 4000 are possible',
  })
})
