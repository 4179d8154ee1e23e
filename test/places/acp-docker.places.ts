// The runtime suite for agents that speak ACP in containers.
import { overAcp } from '../contract/acp-under-test.ts'
import { plugin } from './acp-docker-plugin.ts'
import { describeInDocker } from './docker-suite.ts'

describeInDocker({ plugin, pluginFile: 'acp-docker-plugin.ts', detachKeys: '\u0003', speaksAcp: overAcp() })
