{{- define "gateway.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" }}
{{- end }}
{{- end }}

{{- define "gateway.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The pods that serve; a Job's are others. */}}
{{- define "gateway.servers" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/component: server
{{- end }}

{{- define "gateway.labels" -}}
{{ include "gateway.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "gateway.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end }}

{{- define "gateway.podSecurity" -}}
runAsNonRoot: true
runAsUser: 65532
runAsGroup: 65532
fsGroup: 65532
seccompProfile:
  type: RuntimeDefault
{{- end }}

{{- define "gateway.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end }}

{{- define "gateway.env" -}}
- name: GATEWAY_DATA_DIR
  value: /var/lib/gateway
- name: GATEWAY_SERVER__PUBLIC_ADDR
  value: 0.0.0.0:8080
- name: GATEWAY_SERVER__INTERNAL_ADDR
  value: 0.0.0.0:8081
- name: GATEWAY_DATABASE__URL
  valueFrom:
    secretKeyRef:
      name: {{ required "set database.existingSecret to the Secret with the address of PostgreSQL" .Values.database.existingSecret }}
      key: {{ .Values.database.key }}
- name: GATEWAY_SECRETS__MASTER_KEY_FILE
  value: /var/run/gateway-keys/master.key
{{- with .Values.env }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{- define "gateway.mounts" -}}
- name: config
  mountPath: /etc/gateway
  readOnly: true
- name: data
  mountPath: /var/lib/gateway
- name: tmp
  mountPath: /tmp
- name: keys
  mountPath: /var/run/gateway-keys
  readOnly: true
{{- end }}

{{- define "gateway.volumes" -}}
- name: config
  configMap:
    name: {{ include "gateway.name" . }}
- name: data
  emptyDir:
    sizeLimit: {{ .Values.cache.sizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
- name: keys
  secret:
    secretName: {{ required "set masterKey.existingSecret to the Secret with the file of master keys; values.yaml says how it is made" .Values.masterKey.existingSecret }}
    # The group of the pod reads it.
    defaultMode: 0440
    items:
      - key: {{ .Values.masterKey.key }}
        path: master.key
{{- end }}
