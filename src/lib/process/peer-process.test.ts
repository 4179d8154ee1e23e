import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { afterEach, describe, expect, it } from 'vitest'
import { findPeer, tcpRow } from './peer-process.ts'

let server: Server | undefined

afterEach(() => {
  server?.close()
})

/** Both ends of a connection within this process. */
async function connected(listen: string, to: string): Promise<{ ours: Socket; theirs: Socket }> {
  server = createServer()
  server.listen(0, listen)
  await once(server, 'listening')
  const theirs = connect({ port: (server.address() as { port: number }).port, host: to })
  const [ours] = (await once(server, 'connection')) as [Socket]
  return { ours, theirs }
}

describe.runIf(process.platform === 'linux')('the process at the other end', () => {
  it.each([
    ['127.0.0.1', '127.0.0.1'],
    ['::1', '::1'],
    ['::', '127.0.0.1'],
    ['127.0.0.1', '::ffff:127.0.0.1'],
  ])('is found where %s listens and %s is connected to', async (listen, to) => {
    const { ours, theirs } = await connected(listen, to)
    expect(tcpRow(ours)?.uid).toBe(process.getuid!())
    expect(await findPeer(ours)).toEqual({ kind: 'processes', pids: expect.arrayContaining([process.pid]) })
    theirs.destroy()
  })

  it('has ended when it closed the connection', async () => {
    const { ours, theirs } = await connected('127.0.0.1', '127.0.0.1')
    ours.resume()
    theirs.destroy()
    await once(theirs, 'close')
    expect(await findPeer(ours)).toEqual({ kind: 'ended' })
    ours.destroy()
  })
})
