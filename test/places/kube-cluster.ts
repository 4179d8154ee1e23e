// The small cluster of test/fixtures/kube-api.mjs, with a kubeconfig that leads to it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const FIXTURES = join(import.meta.dirname, '..', 'fixtures')

export interface KubeCluster {
  /** For KUBECONFIG. */
  kubeconfig: string
  /** Makes it do something; the answer to a question. */
  test<T = null>(what: string, body?: object): Promise<T>
  pods(): Promise<string[]>
  stop(): Promise<void>
}

export async function startKube(): Promise<KubeCluster> {
  const directory = mkdtempSync(join(tmpdir(), 'aot-kube-'))
  const child = spawn(process.execPath, [join(FIXTURES, 'kube-api.mjs'), directory], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  })
  const [line] = (await once(child.stdout!, 'data')) as [Buffer]
  const port = Number(line.toString())
  const kubeconfig = join(directory, 'config')
  writeFileSync(kubeconfig, configText(port), { mode: 0o600 })
  const test = <T>(what: string, body: object = {}) => post<T>(port, `/test/${what}`, body)
  return {
    kubeconfig,
    test,
    pods: () => test<string[]>('pods'),
    async stop() {
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
      rmSync(directory, { recursive: true, force: true })
    },
  }
}

function configText(port: number): string {
  const plugin = `printf '{"apiVersion":"client.authentication.k8s.io/v1","kind":"ExecCredential","status":{"token":"%s"}}' a-token-of-the-test`
  return JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'test',
    clusters: [
      {
        name: 'test',
        cluster: { server: `https://127.0.0.1:${port}`, 'certificate-authority': join(FIXTURES, 'tls', 'ca.pem') },
      },
    ],
    users: [
      { name: 'me', user: { token: 'a-token-of-the-test' } },
      { name: 'stranger', user: { token: 'no' } },
      {
        name: 'plugged',
        user: { exec: { apiVersion: 'client.authentication.k8s.io/v1', command: 'sh', args: ['-c', plugin] } },
      },
    ],
    contexts: [
      { name: 'test', context: { cluster: 'test', user: 'me', namespace: 'agents' } },
      { name: 'stranger', context: { cluster: 'test', user: 'stranger' } },
      { name: 'plugged', context: { cluster: 'test', user: 'plugged', namespace: 'agents' } },
    ],
  })
}

function post<T>(port: number, path: string, body: object): Promise<T> {
  return new Promise((resolve, reject) => {
    const ca = readFileSync(join(FIXTURES, 'tls', 'ca.pem'))
    const outgoing = request({ host: '127.0.0.1', port, path, method: 'POST', ca }, (answer) => {
      const chunks: Buffer[] = []
      answer.on('data', (chunk: Buffer) => chunks.push(chunk))
      answer.on('end', () => resolve(JSON.parse(Buffer.concat(chunks).toString()) as T))
    })
    outgoing.on('error', reject)
    outgoing.end(JSON.stringify(body))
  })
}
