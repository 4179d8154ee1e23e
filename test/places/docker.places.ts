// The runtime suite in containers of Docker, or of Podman with AO_TEST_PODMAN.
import { plugin } from './docker-plugin.ts'
import { describeInDocker } from './docker-suite.ts'

const kind = process.env.AO_TEST_PODMAN ? 'podman' : 'docker'
describeInDocker({ plugin, pluginFile: 'docker-plugin.ts', kind, detachKeys: '\u001d' })
