// The runtime suite in pods of a server that speaks the API of Kubernetes.
import { join } from 'node:path'
import { afterAll, beforeAll } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { loseHost } from './docker-plugin.ts'
import { type KubeCluster, startKube } from './kube-cluster.ts'
import { plugin } from './kubernetes-plugin.ts'

let cluster: KubeCluster
beforeAll(async () => {
  cluster = await startKube()
  process.env.AO_TEST_KUBE = JSON.stringify({ kubeconfig: cluster.kubeconfig, image: 'agents:1' })
}, 60_000)
afterAll(() => cluster.stop(), 30_000)
const file = join(import.meta.dirname, 'kubernetes-plugin.ts')
const elsewhere = { lose: loseHost, endsEverything: true, many: 4 }
describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u001d', elsewhere })
