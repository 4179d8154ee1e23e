import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, it } from 'vitest'
import { createForgejoClient } from '../forgejo-api/forgejo-client.ts'

let server: Server | undefined
afterEach(() => server?.close())

/** A server with this many entries that gives at most so many on a page, whatever it is asked for. */
async function listFrom(total: number, most: number, headersOf: (page: number, isLast: boolean) => object) {
  let pages = 0
  server = createServer((request, response) => {
    const page = Number(new URL(request.url!, 'http://x').searchParams.get('page'))
    pages = Math.max(pages, page)
    const all = Array.from({ length: total }, (_, at) => at)
    const body = all.slice((page - 1) * most, page * most)
    response.writeHead(200, { 'content-type': 'application/json', ...headersOf(page, page * most >= total) })
    response.end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve))
  const apiUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1`
  const client = createForgejoClient({ apiUrl, agreed: true }, { env: { FORGEJO_TOKEN: 'x' } }, 'SCM_FAILED')
  return { list: await client.list<number>('/repos/a/b/issues').catch(String), pages: () => pages }
}

it.each([
  ['its total', (): object => ({ 'x-total-count': '70' })],
  ['its next page', (_: number, isLast: boolean): object => (isLast ? {} : { link: '<x?page=2>; rel="next"' })],
])('reads all pages of a server whose pages are smaller, by %s', async (_what, headersOf) => {
  const { list, pages } = await listFrom(70, 30, headersOf)
  expect([list.length, pages()], String(list)).toEqual([70, 3])
})

it('asks for no second page where the first one is all, and never takes an endless list for a list', async () => {
  const short = await listFrom(7, 50, () => ({ 'x-total-count': '7' }))
  expect([short.list.length, short.pages()]).toEqual([7, 1])
  server?.close()
  expect((await listFrom(1_000_000, 10, () => ({ link: '<x>; rel="next"' }))).list).toContain('has more than')
})
