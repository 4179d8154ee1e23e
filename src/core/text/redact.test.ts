import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cpuMs } from '../../../test/support/cpu-time.ts'
import { redact, redactEnd, redactStart, redactValue, secretValues } from './redact.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const join = (...parts: string[]) => parts.join('')
const BODY = 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'
const PEM = join('-----BEGIN RSA PRIV', 'ATE KEY-----\n', `${BODY}\n${BODY}\n`, '-----END RSA PRIV', 'ATE KEY-----')
const JWT = join('eyJhbGciOiJIUzI1NiJ9', '.', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', '.', 'dozjgNryP4J3jVmNHl0w5N_XgL0n3I9')

/** The text, and the part of it that must be gone. */
const FORMS: ReadonlyArray<readonly [form: string, text: string, secret: string]> = [
  ['a PEM private key', `the key is ${PEM} and more`, BODY],
  ['a PEM private key that was cut off at its end', PEM.slice(0, 60), BODY.slice(0, 20)],
  ['a PEM private key that was cut off at its beginning', PEM.slice(45), BODY.slice(20)],
  ['a PEM private key within JSON', JSON.stringify({ key: PEM }), BODY],
  ['a JWT', `got ${JWT}.`, JWT],
  ['a Google key', join('key AI', 'zaSyA1234567890abcdefghijklmnopqrstuv'), 'SyA1234567890'],
  ['a Google access token', join('ya', '29.a0AfH6SMBx1234567890abcdef'), 'a0AfH6SMBx'],
  ['an npm token', join('npm', `_${BODY}`), BODY],
  ['a Hugging Face token', join('hf', `_${BODY}`), BODY],
  ['a Groq key', join('gsk', `_${BODY}`), BODY],
  ['an AWS key id', join('AKIA', 'IOSFODNN7EXAMPLE'), 'IOSFODNN7EXAMPLE'],
  ['an AWS secret', join('aws_secret_access_key = wJalrXUtnFEMI/', 'K7MDENG/bPxRfiCYEXAMPLEKEY'), 'wJalrXUtnFEMI'],
  ...['p', 'o', 'u', 's', 'r'].map((letter) => [`a gh${letter}_ token`, join('gh', letter, '_', BODY), BODY] as const),
  ['a GitHub fine-grained token', join('github', `_pat_${BODY}`), BODY],
  ['a GitLab token', join('glpat', '-abcDEF123456_7890'), 'abcDEF123456'],
  ...['b', 'a', 'p', 'r', 's', 'e'].map(
    (letter) =>
      [`a Slack xox${letter} token`, join('xox', letter, '-123456789012-abcdefABCDEF'), '123456789012'] as const,
  ),
  ['a Slack webhook', join('https://hooks.slack.com/services/T000', '/B000/abcdefABCDEF'), 'abcdefABCDEF'],
  ['a Discord webhook', join('https://discord.com/api/webhooks/', '1234/abcdef-ABCDEF'), 'abcdef-ABCDEF'],
  ['an Anthropic key', join('sk', '-ant-api03-abcdef0123456789'), 'abcdef0123456789'],
  ['an OpenAI key', join('sk', '-proj-abcdef0123456789'), 'abcdef0123456789'],
  ['a Stripe key', join('sk', '_live_abcdef0123456789'), 'abcdef0123456789'],
  ['a PyPI token', join('pypi', '-AgEIcHlwaS5vcmcCJGFiY2Rl'), 'AgEIcHlwaS5vcmcC'],
  ['a SendGrid key', join('SG', '.abcdefghijklmnop.qrstuvwxyz0123456789'), 'qrstuvwxyz'],
  ['a Telegram bot token', join('123456789', ':AAabcdefghijklmnopqrstuvwxyz01234567'), 'AAabcdefghijklm'],
  ['an age key', join('AGE-SECRET', '-KEY-1QQQQQQQQQQQQQQQQQQQQQQQQQ'), 'QQQQQQ'],
  ['a cookie', 'Cookie: session=abc123; theme=dark', 'abc123'],
  ['a cookie that is set', 'set-cookie: sid=abc123; HttpOnly', 'abc123'],
  ['a cookie in JSON', '{"cookie":"sid=abc123; a=b"}', 'abc123'],
  ['Authorization: Bearer', 'Authorization: Bearer abc.def-123', 'abc.def'],
  ['Authorization: Basic', 'authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['Authorization: token', 'Authorization: token abcdefgh', 'abcdefgh'],
  ['Proxy-Authorization', 'Proxy-Authorization: whatever it is', 'whatever'],
  ['an Authorization header in JSON', '{"Authorization": "Bearer abcdefgh12"}', 'abcdefgh12'],
  ['a bearer token alone', 'sent Bearer abcdefghijkl', 'abcdefghijkl'],
  ['basic credentials alone', 'sent Basic dXNlcjpwYXNzMQ==', 'dXNlcjpwYXNzMQ'],
  ['--token x', 'curl --token x7f', 'x7f'],
  ['--api-key "…"', 'tool --api-key "with a space" run', 'with a space'],
  ['--password=…', 'tool --password=hunter2 run', 'hunter2'],
  ['SECRET="…"', 'SECRET="two words" next', 'two words'],
  ["SECRET='…'", "MY_SECRET='two words' next", 'two words'],
  ['a quoted value over two lines', 'SECRET="first\nsecond" next', 'second'],
  ['a quoted value that was cut off', 'SECRET="two wor', 'two wor'],
  ['a quoted value with a quote in it', String.raw`{"password": "a\"bcd"}`, 'bcd'],
  ['JSON within JSON', String.raw`"{\"api_key\":\"abcd\",\"user\":\"me\"}"`, 'abcd'],
  ['an environment variable', 'ANTHROPIC_API_KEY=abcd', 'abcd'],
  ['a variable called KEY', 'DEPLOY_KEY=abcd', 'abcd'],
  ['a password in JSON', '{"password": "hunter2 and more", "user": "me"}', 'hunter2 and more'],
  ['a passphrase', 'passphrase: correct', 'correct'],
  ['an access token by name', 'accessToken: abcdef', 'abcdef'],
  ['credentials in a URL', 'fatal: https://me:hunter2@example.invalid/x.git', 'hunter2'],
  ['the key of an Azure connection string', join('AccountName=me;Account', `Key=${BODY}==;EndpointSuffix=x`), BODY],
  ['an Azure access signature', 'SharedAccessSignature=sv=2024&sig=abcd', 'sig=abcd'],
  ['curl -u', 'curl -sS -u me:hunter2 https://example.invalid', 'hunter2'],
  ['curl -u among other letters', 'curl -fsSLu me:hunter2 https://example.invalid', 'hunter2'],
  ['curl -u in quotes', 'curl https://example.invalid -u "me:hunter2 or 3" -v', 'hunter2 or 3'],
  ['curl --user=', "curl --user='me:hunter2' https://example.invalid", 'hunter2'],
  ['curl --proxy-user', 'curl --proxy-user me:hunter2 https://example.invalid', 'hunter2'],
  ['a line of a netrc file', 'machine example.invalid login me password hunter2', 'hunter2'],
  ['the end of a line of a netrc file', 'login me password hunter2', 'hunter2'],
  ['a netrc file', 'machine example.invalid\n  login me\n  password hunter2\n', 'hunter2'],
  ['a netrc file within JSON', JSON.stringify('machine example.invalid\nlogin me\npassword hunter2\n'), 'hunter2'],
  ['a token as the user of a URL', 'https://abcdef123@example.invalid/x.git', 'abcdef123'],
]

const HARMLESS = [
  'nothing to hide',
  'the branch feat/token-refresh is taken',
  'password prompt did not appear',
  'input_tokens: 1500, output_tokens: 22',
  '{"token": null, "secret": false}',
  'basic authentication was refused',
  'the option --token is missing',
  'ssh://git@example.invalid/x.git',
  'sk-learn-contrib is installed',
  'commit 0123456789abcdef0123456789abcdef01234567',
  'see https://example.invalid/a?b=c#d',
  "ls: cannot access '/home/me/.ssh/secret_key': No such file or directory",
  "cat: '/run/token': Permission denied",
  'bash: get-password: command not found',
  'curl -u is missing: https://example.invalid:8080',
  'docker run -u 1000:1000 image',
  'curl --url https://example.invalid',
  'the login form password is required',
  'api_key: missing',
]

describe('redact', () => {
  it.each(FORMS)('S4.75 S4.92 takes out %s', (_, text, secret) => {
    const clean = redact(text)
    expect(clean).not.toContain(secret)
    expect(clean).toContain('[redacted]')
    expect(redact(clean)).not.toContain(secret)
  })

  it.each(FORMS)('S4.92 takes out %s within an event of a history', (_, text, secret) => {
    const event = { type: 'tool_result', content: [{ text }, { note: [text] }] }
    expect(JSON.stringify(redactValue(event))).not.toContain(JSON.stringify(secret).slice(1, -1))
  })

  it.each(HARMLESS)('leaves %s alone', (text) => {
    expect(redact(text)).toBe(text)
  })

  it.each([
    'password: missing-piece-77',
    'password: missing.piece77',
    'token: unknown/77',
    'TOKEN=[redacted]rest-of-it-77',
  ])('takes a value that only begins like an ordinary word: %s', (text) => {
    expect(redact(text)).not.toContain('77')
  })

  it.each(FORMS)('finds nothing more in what it has done: %s', (_, text) => {
    expect(redact(redact(text))).toBe(redact(text))
  })

  it('marks a known value once, whatever stands around it', () => {
    const secrets = ['correct-horse-battery']
    for (const around of [
      'TOKEN=*',
      '[TOKEN=*]',
      '{"token":"*"}',
      '--api-key *',
      'DEPLOY_KEY=*',
      "[['password: *']]",
    ]) {
      const clean = redact(around.replace('*', secrets[0]!), secrets)
      expect(clean).not.toContain(secrets[0])
      expect(clean.split('[redacted]')).toHaveLength(2)
      expect(clean.replace('[redacted]', '*').length).toBeLessThanOrEqual(around.length)
    }
  })

  it('keeps the text around a secret', () => {
    expect(redact('{"password": "hunter2", "user": "me"}')).toBe('{"password": [redacted], "user": "me"}')
    expect(redact('GITHUB_TOKEN=abcd1234 was refused')).toBe('GITHUB_TOKEN=[redacted] was refused')
    expect(redact(String.raw`"{\"api_key\":\"abcd\",\"user\":\"me\"}"`)).toContain(String.raw`\"user\":\"me\"`)
  })

  it('S4.75 removes known values wherever they are, also as JSON has them', () => {
    const secrets = secretValues({ MY_TOKEN: 'correct horse', TLS_KEY: 'line one\nline two', HOME: '/home/me' })
    expect(redact('it said correct horse and stopped', secrets)).toBe('it said [redacted] and stopped')
    expect(redact(JSON.stringify('it is line one\nline two.'), secrets)).toBe('"it is [redacted]."')
  })

  it('S4.92 removes what is under a secret name, however deep', () => {
    const value = { headers: [{ 'x-api-key': 'abc', size: 3 }], authorization: 'abc', tokens: 5 }
    expect(redactValue(value)).toEqual({
      headers: [{ 'x-api-key': '[redacted]', size: 3 }],
      authorization: '[redacted]',
      tokens: 5,
    })
  })

  it('S4.75 S4.92 is bounded, and no secret hides behind the cut', () => {
    const long = `${'x'.repeat(90)} ghp_0123456789abcdef0123 ${'y'.repeat(500)}`
    expect(redactStart(long, 100)).toMatch(/^x{90} \[redacte?d?…$/)
    expect(redactStart('abc', 100)).toBe('abc')
    expect(redactEnd('abcdef', 3)).toBe('[truncated]…def')
    const cut = `password="${'s'.repeat(100)}"`
    expect(redactEnd(cut, 50)).not.toContain('sss')
    fc.assert(fc.property(fc.string({ maxLength: 3_000 }), (text) => redactStart(text, 256).length <= 256))
  })

  it('takes time in proportion to the text, whatever it is made of', () => {
    const fragment = fc.oneof(
      fc.constantFrom(
        'token',
        'a',
        '-',
        '_',
        '.',
        '=',
        ':',
        ' ',
        '"',
        "'",
        '\\',
        '\n',
        '//',
        '@',
        'eyJ',
        'sk-',
        '--',
        '0',
      ),
      fc.constantFrom(
        '-----BEGIN PRIVATE KEY-----',
        'authorization:',
        'cookie:',
        'basic ',
        '://',
        'AAAA_KEY=',
        'curl ',
        ' -u ',
        'login ',
        ' password ',
        'passwor',
      ),
      fc.string({ minLength: 1, maxLength: 4 }),
    )
    const unit = fc.array(fragment, { minLength: 1, maxLength: 6 }).map((parts) => parts.join(''))
    fc.assert(
      fc.property(unit, (text) => {
        const large = text.repeat(Math.ceil(200_000 / text.length))
        const before = cpuMs()
        redact(large)
        // A text of 200 KB that takes the square of its length would take minutes.
        expect(cpuMs() - before).toBeLessThan(1_500)
      }),
      { numRuns: 60 },
    )
  }, 120_000)
})
