// The address besides this machine: what arrives there is handed to the one server, decrypted where there is a certificate.
// So every check, limit and route is the same.
import type { Server } from 'node:http'
import { createServer as createPlain, type Server as NetServer } from 'node:net'
import { networkInterfaces } from 'node:os'
import { dirname } from 'node:path'
import { resolveUserPath } from '../../config/resolve-config.ts'
import type { OrchestratorConfig } from '../../contract/config.ts'
import { AoError, errorText } from '../../contract/errors.ts'
import { chooseOuterAddress, type NetworkAddress } from '../../core/access/outer-address.ts'
import { readPlainText } from '../../lib/plain-file.ts'

interface Certificate {
  cert: string
  key: string
}

export interface OuterAddress {
  host: string
  certificate: Certificate | null
}

/** null: only this machine. Throws CONFIG_INVALID when the address must not or cannot be used. */
export function outerAddress({ dashboard, configPath }: OrchestratorConfig, home: string): OuterAddress | null {
  const { listen, tls } = dashboard ?? {}
  if (listen === undefined) {
    if (tls === undefined) return null
    throw new AoError('CONFIG_INVALID', 'dashboard.tls is for the address of dashboard.listen, which is not set')
  }
  const chosen = chooseOuterAddress({ listen, hasTls: tls !== undefined, addresses: localAddresses() })
  if ('problem' in chosen) throw new AoError('CONFIG_INVALID', chosen.problem, { hint: chosen.hint })
  const base = dirname(configPath)
  const read = (file: string) => readCertificate(resolveUserPath(file, { home, base }))
  return { host: chosen.host, certificate: tls ? { cert: read(tls.cert), key: read(tls.key) } : null }
}

function localAddresses(): NetworkAddress[] {
  return Object.entries(networkInterfaces()).flatMap(([name, addresses = []]) =>
    addresses.map(({ address }) => ({ name, address })),
  )
}

function readCertificate(file: string): string {
  try {
    return readPlainText(file)
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `The certificate cannot be read: ${errorText(error)}`, { cause: error })
  }
}

export interface OuterListener {
  /** Listens there from here on, or nowhere. Throws when it cannot. */
  use(address: OuterAddress | null, port: number, server: Server): Promise<void>
  close(): Promise<void>
}

export function createOuterListener(): OuterListener {
  let now: { key: string; server: NetServer } | null = null
  const close = async () => {
    const before = now
    now = null
    if (before) await new Promise<void>((resolve) => void before.server.close(() => resolve()))
  }
  return {
    async use(address, port, server) {
      const key = JSON.stringify([address, port])
      if (address !== null && now?.key === key) return
      // The same address may be wanted with another certificate.
      await close()
      if (address === null) return
      const opened = await openServer(address, server)
      await listen(opened, address.host, port)
      now = { key, server: opened }
    },
    close,
  }
}

const HANDSHAKE_MS = 10_000
/** Of connections that have not said anything yet; the rest is limited by the server behind it. */
const MOST = 500

async function openServer({ certificate }: OuterAddress, server: Server): Promise<NetServer> {
  const handOver = (socket: import('node:net').Socket) => void server.emit('connection', socket)
  if (certificate === null) return createPlain(handOver)
  const { createServer } = await import('node:tls')
  try {
    const opened = createServer(
      { ...certificate, handshakeTimeout: HANDSHAKE_MS, ALPNProtocols: ['http/1.1'] },
      handOver,
    )
    opened.maxConnections = MOST
    // A failed handshake is the client's affair.
    opened.on('tlsClientError', (_, socket) => socket.destroy())
    return opened
  } catch (error) {
    throw new AoError('CONFIG_INVALID', `The certificate or its key cannot be used: ${errorText(error)}`, {
      hint: 'Both must be PEM files that belong together (dashboard.tls)',
      cause: error,
    })
  }
}

function listen(server: NetServer, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException) =>
      reject(
        new AoError('PORT_TAKEN', `Port ${port} of ${host} cannot be used: ${error.message}`, {
          hint: 'Free it, or choose another port for once: AO_PORT=3001 ao start',
          details: { host, port },
          cause: error,
        }),
      )
    server.once('error', fail)
    server.listen({ host, port }, () => {
      server.off('error', fail)
      resolve()
    })
  })
}
