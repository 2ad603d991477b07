"""YAML files of other programs, each as its own documentation writes them, some with keys that ours have too."""

from __future__ import annotations

FOREIGN = {
    "alpaca": "instruction: Summarise the text.\ninput: abc\noutput: def\n",
    "alpaca with id": "id: 7\ninstruction: Summarise the text.\ninput: abc\noutput: def\n",
    "dolly": "instruction: Who was it?\ncontext: A text.\nresponse: She was.\ncategory: closed_qa\n",
    "alpaca stream": "instruction: a\noutput: b\n---\ninstruction: c\noutput: d\n---\ninstruction: e\noutput: f\n",
    "alpaca in JSON": '{"instruction": "Summarise.", "input": "abc", "output": "def", "id": 3}\n',
    "alpaca list": "- instruction: a\n  input: b\n  output: c\n- instruction: d\n  input: e\n  output: f\n",
    "one instruction": "instruction: You are a helpful assistant.\n",
    "terminal-bench": (
        "instruction: |-\n  Write a program.\nauthor_name: a\ndifficulty: easy\ncategory: coding\ntags:\n  - code\n"
        "parser_name: pytest\nmax_agent_timeout_sec: 360.0\nrun_tests_in_same_shell: false\n"
    ),
    "prompt template": "name: helper\nrole: expert\nintention: help people\ninstructions: Be brief.\ntone: dry\n",
    "prompt template with id": "id: helper\nversion: 2\nintention: help\ninstructions: |\n  Be brief.\nmodel: small\n",
    "agent definition": "name: planner\ninstructions: Plan the work.\ntools: [search]\nmodel: large\n",
    "crewai agents": "researcher:\n  role: >\n    Senior\n  goal: >\n    Find out\n  backstory: >\n    You are\n",
    "rasa domain": "version: '3.1'\nintents:\n  - greet\n  - bye\nslots: {}\nresponses:\n  utter_hi:\n  - text: Hey\n",
    "rasa nlu": "version: '3.1'\nnlu:\n- intent: greet\n  examples: |\n    - hey\n    - hello\n",
    "chatbot intentions": "id: bot-1\nintentions: [greet, bye]\nlanguage: en\n",
    "chatbot intentions in a block": "id: bot-1\nintentions:\n- greet\n- bye\n",
    "intentions alone": "intentions:\n  - be kind\n  - be brief\n",
    "exercises": "id: squat\ntags: [legs]\ninstructions:\n  - Stand.\n  - Sit.\n",
    "recipe": "name: Soup\nservings: 4\ningredients:\n  - water\ninstructions: Boil it.\n",
    "tavern": (
        "test_name: Get some fake data\n\nstages:\n  - name: Make sure we have the right ID\n    request:\n"
        "      url: https://example.com/1\n      method: GET\n    response:\n      status_code: 200\n"
    ),
    "pytest's own example": "ok:\n    sub1: sub1\n\nhello:\n    world: world\n    some: other\n",
    "GitHub workflow": "name: ci\non: [push]\njobs:\n  build:\n    runs-on: a\n    steps:\n    - run: make\n",
    "GitHub action": "name: act\ndescription: does it\ninputs:\n  value: {required: true}\nruns: {using: node20}\n",
    "issue template": "name: Bug\ndescription: File one\nlabels: [bug]\nbody:\n  - type: input\n    id: version\n",
    "dependabot": "version: 2\nupdates:\n  - package-ecosystem: pip\n    directory: /\n",
    "pre-commit": "repos:\n- repo: https://github.com/a/b\n  rev: v1\n  hooks:\n  - id: ruff\n",
    "pre-commit hooks": "- id: lint\n  name: lint\n  entry: lint\n  language: python\n",
    "docker compose": 'services:\n  web:\n    image: nginx\n    ports: ["80:80"]\nvolumes: {data: {}}\n',
    "Kubernetes": (
        "apiVersion: v1\nkind: Service\nmetadata:\n  name: web\n---\napiVersion: apps/v1\nkind: Deployment\nspec: {}\n"
    ),
    "ConfigMap with a task file in it": (
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  tasks.yaml: |\n    id: a\n"
        "    instruction: b\n    intentions:\n      c: {say: d}\n    value: c\n"
    ),
    "Helm values": "replicaCount: 1\nimage: {repository: nginx, tag: ''}\nresources: {}\n",
    "Helm unit test": "suite: test deployment\ntemplates:\n  - deployment.yaml\ntests:\n  - it: should work\n",
    "suite alone": "suite: smoke\n",
    "suites of another tool": "suite: {name: smoke, timeout: 10}\ncases:\n  - id: a\n    value: 3\n",
    "Ansible playbook": "- hosts: all\n  tasks:\n    - name: install\n      apt: {name: nginx}\n",
    "Ansible variables": "http_port: 80\nvalue: 3\ntags: [a]\n",
    "OpenAPI": "openapi: 3.0.0\ninfo: {title: a, version: '1'}\npaths:\n  /pets:\n    get: {tags: [pets]}\n",
    "JSON Schema": "$schema: https://json-schema.org/x\ntype: object\nproperties:\n  id: {}\n  intentions: {}\n",
    "VCR cassette": (
        'interactions:\n- request:\n    body: \'{"instruction": "go", "intentions": {}}\'\n    uri: https://a.example\n'
        "  response:\n    body: {string: 'instruction: x'}\nversion: 1\n"
    ),
    "pytest-recording, JSON": '{"interactions": [{"request": {"body": "instruction"}}], "version": 1}\n',
    "Cucumber-like": "feature: login\nscenarios:\n  - name: ok\n    steps: [open]\n",
    "Robot variables": "HOST: a\nPORT: 80\nscript: run.robot\n",
    "GitLab CI": "stages: [test]\ntest:\n  script:\n    - pytest\n  tags: [docker]\nimage: python\n",
    "Travis": "language: python\nscript: pytest\npython:\n  - 3.11\n",
    "GitLab CI of known names": "script: make\ncontext: ci\nvalue: 3\n",
    "CircleCI": "version: 2.1\njobs:\n  build:\n    docker: [{image: a}]\n    steps: [checkout]\n",
    "Azure Pipelines": "trigger: [main]\npool: {vmImage: ubuntu}\nsteps:\n- script: make\n",
    "CloudFormation": "AWSTemplateFormatVersion: '2010-09-09'\nResources:\n  A: {Type: 'AWS::S3::Bucket'}\n",
    "serverless": "service: a\nprovider: {name: aws}\nfunctions:\n  f: {handler: a.b}\n",
    "mkdocs": "site_name: Docs\nnav:\n  - Home: index.md\ntheme: readthedocs\n",
    "Read the Docs": "version: 2\nbuild: {os: ubuntu-24.04}\nsphinx: {configuration: conf.py}\n",
    "conda": "name: env\nchannels: [conda-forge]\ndependencies:\n  - numpy\n",
    "codecov": "coverage:\n  status:\n    project: {default: {threshold: 1%}}\n",
    "Home Assistant": "id: '163'\nalias: Lights\ntrigger: []\ncondition: []\naction: []\nmode: single\n",
    "translation": "en:\n  instruction: Press the button\n  value: Value\n",
    "flat translation": "instruction: Press the button\nvalue: Value\ntitle: Title\ncancel: Cancel\n",
    "Hydra": "defaults:\n  - model: a\n  - _self_\nlr: 0.1\n",
    "lm-eval": "task: arc\ndataset_path: ai2_arc\noutput_type: multiple_choice\ndoc_to_text: '{{q}}'\ntag: [a]\n",
    "promptfoo": "prompts: [a.txt]\nproviders: [openai:x]\ntests:\n  - vars: {value: 3}\n    assert: [{type: a}]\n",
    "assembler table": "id: 3\ninstruction: MOV r1\nvalue: 4\nopcode: 0x12\ncycles: 2\n",
    "record": "id: 3\nvalue: 4\n",
    "record of known names": "id: sensor-4\ntags: [roof]\nvalue: 20.5\nrange: [0, 40]\nsource: roof\n",
    "Sigma rule": "title: A\nid: 5af54681\nstatus: test\ntags: [attack.t1]\ndetection: {condition: a}\nlevel: high\n",
    "words": "the instruction: is here in prose\n",
    "in a comment": "# instruction: b\n# intentions: c\nname: c\n",
    "without a blank": "id:a\ninstruction:b\nintentions:c\n",
    "nested": "steps:\n  id: a\n  instruction: b\n  intentions: {c: {say: d}}\n  value: c\n",
    "empty": "",
    "comments": "# nothing\n# here\n",
    "a list": "[1, 2, 3]\n",
    "a number": "42\n",
    "NULs": "\0" * 5000,
    "another UTF-16 file": "services:\n  web: {image: nginx}\n".encode("utf-16").decode("latin-1"),
}
"""By kind; a character is a byte of the file."""
