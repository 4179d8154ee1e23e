// The runtime suite in pods of a real cluster on this machine (k3s, kind with extraMounts): its tests compare files and process
// ids, so AO_CLUSTER_SUITE_TEMPLATE has to share them: hostPID: true, and /tmp, this repository and Node mounted at their own paths.
import { join } from 'node:path'
import { describe, it } from 'vitest'
import { describeRuntime } from '../contract/runtime-suite.ts'
import { loseHost } from './docker-plugin.ts'
import { plugin } from './kubernetes-plugin.ts'

const template = process.env.AO_CLUSTER_SUITE_TEMPLATE

if (template === undefined) {
  describe.skip('the runtime kubernetes (set AO_CLUSTER_SUITE_TEMPLATE)', () =>
    it('is not tested here', () => undefined))
} else {
  const { KUBECONFIG: kubeconfig = `${process.env.HOME}/.kube/config`, AO_CLUSTER_NAMESPACE: namespace } = process.env
  process.env.AO_TEST_KUBE = JSON.stringify({ kubeconfig, template, ...(namespace ? { namespace } : {}) })
  const file = join(import.meta.dirname, 'kubernetes-plugin.ts')
  const elsewhere = { lose: loseHost, endsEverything: true, many: 4 }
  describeRuntime({ plugin, file, missingCommand: 'refused', detachKeys: '\u001d', elsewhere })
}
