// Installs the engines that `npm run test:places` needs, where it may, and says plainly what is missing.
import { spawnSync } from 'node:child_process'

const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  dockerd: ['docker.io'],
  podman: ['podman', 'runc', 'netavark'],
  sshd: ['openssh-server'],
  busybox: ['busybox-static'],
  slurmctld: ['slurm-wlm', 'munge'],
}

export function setup(): void {
  const missing = Object.keys(PACKAGES).filter((program) => !has(program))
  if (missing.length > 0 && process.getuid?.() === 0 && has('apt-get')) {
    const names = missing.flatMap((program) => PACKAGES[program]!)
    console.log(`test:places: installing ${names.join(' ')}`)
    spawnSync('apt-get', ['install', '-y', '--no-install-recommends', ...names], {
      env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
      stdio: 'ignore',
      timeout: 600_000,
    })
  }
  for (const program of missing) if (!has(program)) console.log(`test:places: ${program} could not be installed`)
}

function has(program: string): boolean {
  return spawnSync('sh', ['-c', `PATH=$PATH:/usr/sbin:/sbin command -v ${program}`]).status === 0
}
