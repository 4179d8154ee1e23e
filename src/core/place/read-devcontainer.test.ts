import { describe, expect, it } from 'vitest'
import { readDevcontainer } from './read-devcontainer.ts'

const build = { kind: 'build', dockerfile: 'Dockerfile', context: '.', args: {}, target: null }

describe('the image of a devcontainer', () => {
  it.each([
    ['is named', '{ "image": "debian:12" }', { kind: 'image', image: 'debian:12' }],
    [
      'is found behind comments and trailing commas',
      '// mine\n{ /* the "image" */ "image": "a//b:1", // that one\n "customizations": { "x": [1, 2,], }, }',
      { kind: 'image', image: 'a//b:1' },
    ],
    ['is built', '{ "build": { "dockerfile": "Dockerfile" } }', build],
    [
      'is built with arguments',
      '{ "build": { "dockerfile": "d/Dockerfile", "context": "d", "args": { "V": "1", "bad-name": "x" }, "target": "dev" } }',
      { kind: 'build', dockerfile: 'd/Dockerfile', context: 'd', args: { V: '1' }, target: 'dev' },
    ],
    ['is built in the old spelling', '{ "dockerFile": "Dockerfile" }', build],
  ])('%s', (_how, text, source) => expect(readDevcontainer(text)).toMatchObject({ ok: true, source }))

  it.each([
    ['Compose', '{ "dockerComposeFile": "x.yml", "service": "app" }', /Compose/],
    ['features', '{ "image": "a", "features": { "ghcr.io/x": {} } }', /features/],
    ['a context that is the repository', '{ "build": { "dockerfile": "Dockerfile", "context": ".." } }', /consent/],
    ['a Dockerfile elsewhere', '{ "build": { "dockerfile": "../Dockerfile" } }', /consent/],
    ['an absolute path', '{ "build": { "dockerfile": "/etc/passwd" } }', /consent/],
    ['an option in the place of a path', '{ "build": { "dockerfile": "--file" } }', /consent/],
    ['an option in the place of an image', '{ "image": "--privileged" }', /neither/],
    ['nothing', '{}', /neither/],
    ['no object', '[]', /not a JSON object/],
    ['no JSON', 'image: x', /not a JSON object/],
  ])('is refused: %s', (_what, text, why) =>
    expect(readDevcontainer(text)).toMatchObject({ ok: false, why: expect.stringMatching(why) }),
  )

  it('says what is left out: commands of a repository are not run', () => {
    const read = readDevcontainer(
      '{ "image": "a", "initializeCommand": "rm -rf ~", "postCreateCommand": "npm ci", "privileged": true }',
    )
    expect(read).toMatchObject({ leftOut: ['initializeCommand', 'postCreateCommand', 'privileged'] })
  })
})
